/** Renders texts of 50,000 characters. Prints the CPU time of each in milliseconds as JSON: median of five, after a warm-up. */
import { createMarkdownRenderer } from '../../src/lib/markdown.ts'
import { ordinaryText, slowTexts } from '../../test/attacks/slow-markdown.ts'
import { median } from './figures.ts'

const RUNS = 5
const { render } = createMarkdownRenderer()
const cpuMs = (text: string): number => {
  const before = process.cpuUsage()
  render(text, 2)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
const medianMs = (text: string): number => median(Array.from({ length: RUNS }, () => cpuMs(text)))

medianMs(ordinaryText)
const ordinary = medianMs(ordinaryText)
const slow = Object.fromEntries(Object.entries(slowTexts).map(([name, text]) => [name, medianMs(text)]))
process.stdout.write(JSON.stringify({ ordinary, slow }))
