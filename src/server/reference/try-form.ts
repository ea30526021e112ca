import { html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'
import type { Parameter, ReferenceOperation } from './model.ts'
import { prettyJson } from './pretty-json.ts'

/** Sends the request to this server with a key that the reader types. Shown only where scripts run. */
export function tryForm({ id, method, path, parameters, body, summary }: ReferenceOperation): SafeHtml {
  const inputs = parameters.filter((parameter) => parameter.in !== 'header')
  const value = body?.examples[0]?.value
  const text = prettyJson(value ?? {})
  const target = `${id}-try`
  return html`<details class="try" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${path}" aria-label="Try: ${summary}" autocomplete="off">
<label for="${target}-key">API key</label>
<input id="${target}-key" class="key" type="password" autocomplete="off" spellcheck="false" aria-describedby="${target}-note">
<p class="note" id="${target}-note">Kept in memory until you close this page, and sent to this server only.${method !== 'GET' && ' The request changes real data.'}</p>
${inputs.map((parameter) => parameterInput(target, parameter))}
${body !== undefined && html`<label for="${target}-body">Body (JSON)</label><textarea id="${target}-body" name="body" spellcheck="false" rows="${Math.min(14, text.split('\n').length + 1)}">${text}</textarea>`}
<button type="submit" class="send">Send ${method} request</button>
<div class="result" role="status"></div>
</form></details>`
}

function parameterInput(target: string, { name, in: place, required, schema, example }: Parameter): SafeHtml {
  const id = `${target}-${place}-${name}`
  const values = schema.enum ?? (schema.type === 'boolean' ? [true, false] : undefined)
  const label = html`<label for="${id}">${name}${required !== true && html` <span class="optional">optional</span>`}</label>`
  if (values !== undefined) {
    return html`${label}<select id="${id}" name="${name}" data-place="${place}"><option></option>${values.map((one) => html`<option>${String(one)}</option>`)}</select>`
  }
  const isRequired = required === true && html` required`
  return html`${label}<input id="${id}" name="${name}" data-place="${place}" placeholder="${String(example ?? '')}" spellcheck="false"${isRequired}>`
}
