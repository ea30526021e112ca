import type { JsonSchema } from '../../lib/json-schema.ts'
import { html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'
import { type Field, fieldOf } from './fields.ts'
import { inline } from './markup.ts'
import type { Parameter, Resolve } from './model.ts'

export function fieldList(fields: readonly Field[]): SafeHtml {
  return html`<ul class="fields">${fields.map(fieldItem)}</ul>`
}

function fieldItem({ name, type, required, description, bounds, values, default: value, children }: Field): SafeHtml {
  return html`<li><p class="field"><code class="name">${name}</code> <span class="type">${type}</span>${required !== undefined && html` <span class="required">${required}</span>`}</p>
${description !== undefined && html`<p>${inline(description)}</p>`}${limits(bounds, values, value)}
${children.length > 0 && html`<details><summary>Fields of <code>${name}</code></summary>${fieldList(children)}</details>`}</li>`
}

function limits(bounds: readonly string[], values: readonly string[], value: string | undefined): SafeHtml | false {
  if (bounds.length === 0 && values.length === 0 && value === undefined) return false
  const text = bounds.map(
    (bound, i) =>
      html`${i > 0 && ' · '}${bound.startsWith('pattern ') ? html`pattern <code>${bound.slice(8)}</code>` : bound}`,
  )
  const list = values.map((one, i) => html`${i > 0 && ', '}<code>${one}</code>`)
  const parts = [
    ...(bounds.length > 0 ? [html`${text}`] : []),
    ...(values.length > 0 ? [html`${values.length > 1 && 'one of '}${list}`] : []),
    ...(value === undefined ? [] : [html`default <code>${value}</code>`]),
  ]
  return html`<p class="limits">${parts.map((part, i) => html`${i > 0 && ' · '}${part}`)}</p>`
}

export function parameterList(parameters: readonly Parameter[], resolve: Resolve): SafeHtml {
  return fieldList(
    parameters.map(({ name, required, description, schema }) => {
      const described = { ...resolve<JsonSchema>(schema), ...(description !== undefined && { description }) }
      return fieldOf(name, described, required === true ? 'required' : undefined, resolve)
    }),
  )
}
