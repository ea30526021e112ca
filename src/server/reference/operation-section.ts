import { html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'
import { type Language, languages, sampleRequest, samples } from './code-samples.ts'
import { fieldList, parameterList } from './field-list.ts'
import { fieldsOf } from './fields.ts'
import { codeBlock, highlight, inline } from './markup.ts'
import type { Parameter, ReferenceOperation, Resolve } from './model.ts'
import { prettyJson } from './pretty-json.ts'
import { tryForm } from './try-form.ts'

const languageNames = Object.keys(languages) as Language[]

export function operationSection(operation: ReferenceOperation, baseUrl: string, resolve: Resolve): SafeHtml {
  const { id, method, path, summary, description, isDeprecated, parameters, body, success, errors } = operation
  const at = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place)
  const bodyFields = body === undefined ? [] : fieldsOf(body.schema, resolve)
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="text">
<h2 id="${id}-title">${summary} <a class="anchor" href="#${id}" aria-label="Link to ${summary}">#</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>${isDeprecated && html` <span class="required">deprecated</span>`}</p>
${description !== undefined && html`<p>${inline(description)}</p>`}
<p class="access">${method === 'GET' ? 'Read-only and full-access keys.' : 'Full-access keys only.'}</p>
${parameterPart('Path parameters', at('path'), resolve)}${parameterPart('Query parameters', at('query'), resolve)}
${body !== undefined && html`<h3>Body</h3>${bodyFields.length === 0 ? html`<p>No fields: send <code>{}</code>${!body.isRequired && ' or no body'}.</p>` : fieldList(bodyFields)}`}
${parameterPart('Headers', at('header'), resolve)}
<h3>Response</h3>
<p><span class="status">${success.status}</span> ${inline(success.description)}</p>
${success.schema !== undefined && html`<details><summary>Fields of the response</summary>${fieldList(fieldsOf(success.schema, resolve))}</details>`}
<h3>Errors</h3>
<ul class="errors">${errors.map((error) => html`<li><span class="status">${error.status}</span> ${inline(error.description)}</li>`)}</ul>
</div>
<div class="samples">
${requestSamples(operation, baseUrl)}
${tryForm(operation)}
${success.example !== undefined && codeBlock(`Response ${success.status}`, typeof success.example === 'string' ? success.example : prettyJson(success.example))}
</div>
</section>`
}

function parameterPart(title: string, parameters: readonly Parameter[], resolve: Resolve): SafeHtml | false {
  return parameters.length > 0 && html`<h3>${title}</h3>${parameterList(parameters, resolve)}`
}

/** One block per language and example; the page shows one of them. */
function requestSamples(operation: ReferenceOperation, baseUrl: string): SafeHtml {
  const examples = operation.body?.examples ?? [{ name: '', value: undefined }]
  const blocks = examples.flatMap(({ name, value }, i) => {
    const request = sampleRequest(operation, baseUrl, value)
    return languageNames.flatMap((language) => {
      const code = samples[language](request)
      return code === undefined ? [] : [{ language, name, code, isHidden: i > 0 }]
    })
  })
  const shown = new Set(blocks.map(({ language }) => language))
  return html`<div class="request">
<div class="sample-bar"><div class="languages" role="group" aria-label="Language of the example">${[...shown].map((name) => html`<button type="button" data-language="${name}" aria-pressed="${name === 'curl' ? 'true' : 'false'}">${languages[name]}</button>`)}</div>
${examples.length > 1 && html`<label class="example">Example <select>${examples.map(({ name, value }) => html`<option data-body="${prettyJson(value)}">${name}</option>`)}</select></label>`}</div>
${blocks.map(
  ({ language, name, code, isHidden }) =>
    html`<div class="code sample" data-language="${language}" data-example="${name}"${isHidden && html` hidden`}><button type="button" class="copy" hidden>Copy</button><pre tabindex="0"><code>${language === 'curl' || language === 'cli' ? code : highlight(code)}</code></pre></div>`,
)}
</div>`
}

/** An event: the request that a receiver gets. */
export function eventSection({ summary, description, body }: ReferenceOperation, resolve: Resolve): SafeHtml {
  const [example] = body?.examples ?? []
  return html`<section class="operation" id="${summary}" aria-labelledby="${summary}-title">
<div class="text">
<h2 id="${summary}-title">${summary} <a class="anchor" href="#${summary}" aria-label="Link to ${summary}">#</a></h2>
${description !== undefined && html`<p>${inline(description)}</p>`}
${body !== undefined && html`<details><summary>Fields of the body</summary>${fieldList(fieldsOf(body.schema, resolve))}</details>`}
</div>
<div class="samples">${example !== undefined && codeBlock('Body', prettyJson(example.value))}</div>
</section>`
}
