import type { ComponentChildren } from 'preact'

/**
 * Roughly what readers see of Markdown: paragraphs, lists, quotes, headings, blocks of code, and within a line bold, italic, code
 * and addresses. Everything is made of elements and text, so nothing that somebody wrote can run or load.
 */
export function Markdown({ text }: { text: string }) {
  return <div class="space-y-2">{blocksOf(text).map(render)}</div>
}

type Kind = 'p' | 'ul' | 'ol' | 'quote' | 'heading' | 'code'
interface Block {
  readonly kind: Kind
  readonly lines: string[]
}

const marks: readonly (readonly [Kind, RegExp])[] = [
  ['heading', /^#{1,6}\s+/],
  ['ul', /^\s*[-*+]\s+/],
  ['ol', /^\s*\d+[.)]\s+/],
  ['quote', /^\s*>\s?/],
]

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let isCode = false
  let isNew = true
  for (const line of text.replaceAll('\r', '').split('\n')) {
    const isFence = /^\s*(```|~~~)/.test(line)
    if (isFence) {
      if (!isCode) blocks.push({ kind: 'code', lines: [] })
      isCode = !isCode
      isNew = true
    } else if (isCode) blocks.at(-1)?.lines.push(line)
    else if (line.trim() === '') isNew = true
    else {
      const [kind, mark] = marks.find(([, pattern]) => pattern.test(line)) ?? (['p', /^/] as const)
      const last = blocks.at(-1)
      const rest = line.replace(mark, '')
      if (!isNew && last?.kind === kind && kind !== 'heading') last.lines.push(rest)
      else blocks.push({ kind, lines: [rest] })
      isNew = false
    }
  }
  return blocks
}

function render({ kind, lines }: Block, i: number) {
  if (kind === 'code') {
    return (
      <pre key={i} class="code whitespace-pre-wrap">
        {lines.join('\n')}
      </pre>
    )
  }
  if (kind === 'ul' || kind === 'ol') {
    const List = kind
    return (
      <List key={i} class={`ms-5 ${kind === 'ul' ? 'list-disc' : 'list-decimal'}`}>
        {lines.map((line, at) => (
          <li key={at}>{inline(line)}</li>
        ))}
      </List>
    )
  }
  const broken = lines.map((line, at) => (
    <span key={at}>
      {at > 0 && <br />}
      {inline(line)}
    </span>
  ))
  if (kind === 'heading') {
    return (
      <p key={i} class="font-semibold">
        {broken}
      </p>
    )
  }
  if (kind === 'quote') {
    return (
      <blockquote key={i} class="border-s-2 border-line ps-3 text-muted">
        {broken}
      </blockquote>
    )
  }
  return <p key={i}>{broken}</p>
}

const pieces =
  /`([^`]+)`|\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|\b_([^_\s][^_]*)_\b|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)|(https?:\/\/[^\s<>)]+)/g

function inline(line: string): ComponentChildren[] {
  const out: ComponentChildren[] = []
  let at = 0
  for (const found of line.matchAll(pieces)) {
    const [all, code, bold, bold2, italic, italic2, label, href, bare] = found
    out.push(line.slice(at, found.index))
    at = found.index + all.length
    const strong = bold ?? bold2
    const slanted = italic ?? italic2
    if (code !== undefined) out.push(<code class="rounded bg-ground px-1">{code}</code>)
    else if (strong !== undefined) out.push(<strong>{inline(strong)}</strong>)
    else if (slanted !== undefined) out.push(<em>{inline(slanted)}</em>)
    else {
      out.push(
        <a class="link" href={href ?? bare} target="_blank" rel="nofollow noopener noreferrer">
          {label ?? bare}
        </a>,
      )
    }
  }
  out.push(line.slice(at))
  return out
}
