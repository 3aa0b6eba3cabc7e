/** Redoc with its dependencies in one file. Its package has types for the React component only. */
declare module 'redoc/bundles/redoc.standalone.js' {
  export function init(
    documentUrl: string,
    options: Record<string, unknown>,
    element: Element | null,
    onRendered: () => void,
  ): void;
}
