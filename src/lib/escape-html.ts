const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Makes text safe in HTML content and in quoted attributes. */
export function escapeHtml(text: string): string {
  // Most text has nothing to escape, and a test is cheaper than a copy.
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => entities[character] as string) : text
}
