export function ExportButton({ id }: { id: string }) {
  return <a href={`/v1/conversations/${id}/export`}>Export</a>;
}
