import type { ImportedObject, ImportResult, Outcome } from './result.ts'

/** The parts of the report, in order. What needs attention comes first. */
const parts: readonly (readonly [Outcome, string])[] = [
  ['NOT_SUPPORTED', 'Not supported'],
  ['MAPPED_WITH_LOSSES', 'Imported with losses'],
  ['MAPPED', 'Imported'],
  ['NOT_A_MONITOR', 'Not needed'],
]

/** How many objects have each outcome. */
export function countOutcomes(objects: readonly ImportedObject[]): Readonly<Record<Outcome, number>> {
  const counts = { MAPPED: 0, MAPPED_WITH_LOSSES: 0, NOT_SUPPORTED: 0, NOT_A_MONITOR: 0 }
  for (const { outcome } of objects) counts[outcome] += 1
  return counts
}

/** What became of every object, as Markdown. */
export function reportText(title: string, { objects, unreadable, variables = [] }: ImportResult): string {
  const counts = countOutcomes(objects)
  const lines = [`# Import from ${title}`, '']
  lines.push('| | objects |', '|---|---|')
  for (const [outcome, heading] of parts) lines.push(`| ${heading} | ${counts[outcome]} |`)
  if (unreadable.length > 0) lines.push('', '## Not readable', '', ...unreadable.map((text) => `- ${escaped(text)}`))
  if (variables.length > 0) {
    lines.push('', '## Environment variables', '')
    lines.push('Set these before you plan or apply the document:', '', ...variables.map((name) => `- \`${name}\``))
  }
  for (const [outcome, heading] of parts) {
    const found = objects.filter((object) => object.outcome === outcome)
    if (found.length > 0) lines.push('', `## ${heading}`, '', ...found.flatMap(objectLines))
  }
  return `${lines.join('\n')}\n`
}

function objectLines({ kind, sourceId, name, key, losses, reason }: ImportedObject): string[] {
  const named = name === '' || name === sourceId ? '' : ` ${escaped(name)}`
  const place = key === undefined ? '' : ` → \`${key}\``
  const why = reason === undefined ? '' : `: ${escaped(reason)}`
  return [
    `- ${kind} \`${sourceId.replaceAll('`', '')}\`${named}${place}${why}`,
    ...losses.map((loss) => `  - ${escaped(loss)}`),
  ]
}

/** Names come from another tool: they must not be taken for markup, and stay on one line. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#]/g, '\\$&')
}
