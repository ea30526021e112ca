import { html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'
import { DOCS_PATH, type NavigationGroup } from './layout.ts'
import { codeBlock } from './markup.ts'
import type { OpenApi } from './model.ts'

/** The first page: how to send a request, and what there is. */
export function introduction({ servers }: OpenApi, groups: readonly NavigationGroup[]): SafeHtml {
  const baseUrl = servers[0]?.url ?? ''
  const create = `curl ${baseUrl}/api/v1/monitors \\
  -H "X-API-Key: $PHAROS_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name": "Shop", "type": "HTTP", "url": "https://example.com"}'`
  return html`<article class="guide"><h1>Pharos API reference</h1>
<p class="lead">Monitors, incidents, status pages, maintenance windows and webhooks of one organization, as JSON over HTTP.</p>
<h2 id="base-url">Base URL</h2>
${codeBlock('Base URL', `${baseUrl}/api/v1`)}
<h2 id="first-request">Your first request</h2>
<p>Create a key in the dashboard under Settings, API keys, and list your monitors:</p>
${codeBlock('List monitors', `export PHAROS_API_KEY=phr_…\ncurl -H "X-API-Key: $PHAROS_API_KEY" ${baseUrl}/api/v1/monitors`)}
<p>Create a monitor. The first check runs within seconds:</p>
${codeBlock('Create a monitor', create)}
<h2 id="rules">Rules for all requests</h2>
<ul>
<li>Bodies are JSON with <code>Content-Type: application/json</code>, at most 64 KiB, or 2 MiB where fields need it, such as for monitors and status pages. Unknown fields are an error.</li>
<li>Times are ISO 8601. Requests take <code>Z</code> or an offset, and seconds are optional. Responses are in UTC with milliseconds.</li>
<li>HEAD works wherever GET does. Any other method is a <code>405</code> with an <code>Allow</code> header.</li>
<li>The version is in the path. Within a version only operations and optional fields are added: ignore fields that you do not know. A deprecated operation has <code>Deprecation</code>, <code>Sunset</code> and <code>Link</code> headers for at least 180 days.</li>
</ul>
<h2 id="contents">Contents</h2>
${groups.map(({ title, links }) => html`<h3>${title}</h3><ul class="contents">${links.filter(({ href }) => href !== DOCS_PATH).map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>`)}</ul>`)}
<h2 id="client-and-command-line">Client and command line</h2>
<p>Programs in TypeScript and JavaScript can use the client in the folder <code>clients/typescript</code> of the Pharos repository: it has types, retries, pages as iterators and a webhook verifier. In a shell, the <code>pharos</code> command has every operation. The examples of this reference show both.</p>
${codeBlock('Command line', `export PHAROS_URL=${baseUrl} PHAROS_API_KEY=phr_…\npharos monitors list --watch`)}
<p>AI assistants can use the operations as tools through <code>pharos mcp</code>.</p>
<h2 id="openapi">OpenAPI document</h2>
<p>This reference is generated from the OpenAPI 3.1 document at <a href="/openapi.json">/openapi.json</a>. Use it to generate a client for another language.</p>
</article>`
}
