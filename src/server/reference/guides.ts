import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import MarkdownIt from 'markdown-it'
import { type ErrorCode, errorCodes } from '../../contract/errors.ts'
import { type SafeHtml, trustedHtml } from '../../publishing/public-site/markup/html.ts'
import { slugOf } from './model.ts'

export interface Guide {
  readonly slug: string
  readonly title: string
  readonly content: SafeHtml
  readonly headings: readonly { readonly id: string; readonly text: string }[]
  /** For the search. */
  readonly text: string
}

const folder = join(import.meta.dirname, 'guides')
const guideSlugs = [
  'authentication',
  'errors',
  'pagination',
  'idempotency',
  'rate-limits',
  'webhook-verification',
] as const

const whatToDo: Readonly<Record<ErrorCode, string>> = {
  validation_error: 'correct the request',
  invalid_idempotency_key: 'send a key of 1 to 200 permitted characters',
  unauthorized: 'send a valid API key',
  forbidden: 'use an API key with full access',
  not_found: 'check the path and the ID',
  method_not_allowed: 'use a method of the `Allow` header',
  conflict: 'read the resource, then decide again',
  idempotency_conflict: 'use a new Idempotency-Key for a new change',
  idempotency_in_progress: 'repeat the request after a second',
  plan_limit: 'delete what you do not need, or change the plan',
  subscription_required: 'renew the subscription',
  rate_limited: 'repeat the request after `Retry-After` seconds',
  internal_error: 'repeat the request with the same Idempotency-Key',
}

function errorRows(): string {
  return (Object.keys(errorCodes) as ErrorCode[])
    .map((code) => `| ${errorCodes[code].status} | \`${code}\` | ${errorCodes[code].meaning} | ${whatToDo[code]} |`)
    .join('\n')
}

/** The text of a guide with everything that is filled in. The texts are files of this project, so they are trusted. */
function sourceOf(slug: string, baseUrl: string): string {
  return readFileSync(join(folder, `${slug}.md`), 'utf8')
    .replaceAll('{{baseUrl}}', () => baseUrl)
    .replace('{{errorRows}}', errorRows)
    .replace(/\{\{(verify\.\w+)\}\}/g, (_, name: string) => readFileSync(join(folder, name), 'utf8').trimEnd())
}

export function readGuides(baseUrl: string): Guide[] {
  return guideSlugs.map((slug) => {
    const source = sourceOf(slug, baseUrl)
    const [, title = slug, body = ''] = /^# (.+)\n([\s\S]*)$/.exec(source) ?? []
    const engine = createEngine()
    const headings = [...body.matchAll(/^## (.+)$/gm)].map(([, text = '']) => ({ id: slugOf(text), text }))
    return { slug, title, content: trustedHtml(engine.render(body)), headings, text: body }
  })
}

function createEngine() {
  const engine = new MarkdownIt({ html: false, linkify: false })
  const { escapeHtml } = engine.utils
  // Scrollable code must be reachable by keyboard.
  engine.renderer.rules.fence = (tokens, i) =>
    `<div class="code"><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${escapeHtml(tokens[i]?.content ?? '')}</code></pre></div>\n`
  engine.renderer.rules.heading_open = (tokens, i) => `<${tokens[i]?.tag} id="${slugOf(tokens[i + 1]?.content ?? '')}">`
  engine.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n'
  engine.renderer.rules.table_close = () => '</table></div>\n'
  return engine
}
