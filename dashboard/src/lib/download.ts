/** Saves a file that the page has made or fetched. */
export function download(name: string, content: Blob): void {
  const file = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = file
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(file), 60_000)
}
