import { type HtmlValue, html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'
import { beams, tower } from '../../publishing/public-site/markup/mark.ts'

export const DOCS_PATH = '/docs'
export const EVENTS_PATH = `${DOCS_PATH}/webhook-events`

export interface NavigationGroup {
  readonly title: string
  readonly links: readonly NavigationLink[]
}

interface NavigationLink {
  readonly href: string
  readonly text: string
  /** Shown only on the page itself. */
  readonly parts?: readonly { readonly href: string; readonly text: string; readonly method?: string }[]
}

export interface Frame {
  readonly version: string
  readonly groups: readonly NavigationGroup[]
  readonly stylesheet: string
  readonly script: string
  readonly searchIndex: string
}

interface ReferencePage {
  /** Below the host, such as `/docs/monitors`. */
  readonly path: string
  readonly title: string
  readonly content: HtmlValue
}

const mark = html`<svg class="mark" width="22" height="22" viewBox="0 0 16 16" aria-hidden="true"><path fill="currentColor" d="${tower}"/><path class="beams" d="${beams}"/></svg>`
const icon = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#2450b0" d="${tower}"/><path fill="#d67e00" d="${beams}"/></svg>`)}`

export function renderPage(frame: Frame, { path, title, content }: ReferencePage): string {
  const { version, groups, stylesheet, script, searchIndex } = frame
  return html`<!doctype html>
<html lang="en" data-language="curl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${title}: reference of the Pharos API">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${stylesheet}">
<script src="${script}"></script>
</head>
<body data-search="${searchIndex}">
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<a class="brand" href="${DOCS_PATH}">${mark}<span>Pharos API</span></a><span class="version">${version}</span>
<button type="button" class="menu" aria-expanded="false" aria-controls="navigation" hidden>Menu</button>
<label class="theme" hidden><span>Theme</span><select aria-label="Theme"><option value="system">System</option><option value="light">Light</option><option value="dark">Dark</option></select></label>
</header>
<div class="columns">
<nav id="navigation" aria-label="API reference">
<div class="search" role="search" hidden><label for="search">Search</label><input id="search" type="search" role="combobox" aria-expanded="false" aria-controls="search-results" aria-autocomplete="list" autocomplete="off" placeholder="Press / to search"><ul id="search-results" class="results" role="listbox" aria-label="Search results" hidden></ul><p class="found" role="status"></p></div>
${groups.map((group) => navigationGroup(group, path))}
</nav>
<main id="content" tabindex="-1">
${content}
</main>
</div>
</body>
</html>
`.toString()
}

function navigationGroup({ title, links }: NavigationGroup, path: string): SafeHtml {
  return html`<p class="group">${title}</p><ul>${links.map(({ href, text, parts = [] }) => {
    const isCurrent = href === path
    return html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${text}</a>${isCurrent && parts.length > 0 && html`<ul>${parts.map((part) => html`<li><a href="${part.href}">${part.method !== undefined && html`<span class="method ${part.method.toLowerCase()}">${part.method}</span> `}${part.text}</a></li>`)}</ul>`}</li>`
  })}</ul>`
}
