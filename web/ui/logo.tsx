/** The Parley logo. */
export function Logo() {
  return (
    <svg width="28" height="28" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0b6b75" />
      <path
        d="M9 8.500h14a2.500 2.500 0 0 1 2.500 2.500v7a2.500 2.500 0 0 1-2.500 2.500h-6.300L12 25v-4.500H9A2.500 2.500 0 0 1 6.500 18v-7A2.500 2.500 0 0 1 9 8.500Z"
        fill="#fff"
      />
      <g fill="#0b6b75">
        <circle cx="12" cy="14.500" r="1.500" />
        <circle cx="16" cy="14.500" r="1.500" />
        <circle cx="20" cy="14.500" r="1.500" />
      </g>
    </svg>
  );
}
