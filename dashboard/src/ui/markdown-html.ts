import { createMarkdownRenderer } from '../../../src/lib/markdown.ts'

const renderer = createMarkdownRenderer({ linkTarget: '_blank' })

/** Headings of incident texts start at level 3, below the titles of the screen. */
export function markdownHtml(text: string): string {
  return renderer.render(text, 2)
}
