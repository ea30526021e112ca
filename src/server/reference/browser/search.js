import { element } from './dom.js'

const MAX_RESULTS = 12

let index

/** A failed download is tried again by the next search. */
async function loadIndex() {
  index ??= download(document.body.dataset.search ?? '')
  try {
    return await index
  } catch (error) {
    index = undefined
    throw error
  }
}

async function download(address) {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`HTTP ${response.status}`)
  return response.json()
}

/** Every word must occur; titles count more than other words. */
function find(entries, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const scored = entries.map((entry) => {
    const [title, rest] = [entry.t.toLowerCase(), `${entry.s} ${entry.w}`.toLowerCase()]
    const scores = words.map((word) =>
      title.startsWith(word) ? 4 : title.includes(word) ? 3 : rest.includes(word) ? 1 : 0,
    )
    return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0) }
  })
  const matching = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score)
  return words.length === 0 ? [] : matching.slice(0, MAX_RESULTS).map(({ entry }) => entry)
}

/** Shows what matches the text. */
export async function search(input) {
  const text = input.value
  const entries = await loadIndex().catch(() => undefined)
  if (input.value !== text) return
  /** @type {HTMLElement | null} */
  const list = document.querySelector('#search-results')
  const status = document.querySelector('.found')
  if (list === null || status === null) return
  const found = find(entries ?? [], text)
  list.replaceChildren(
    ...found.map(({ t, s, u }, i) => {
      const item = element('li', t)
      item.append(element('small', s))
      Object.assign(item, { id: `search-${i}`, role: 'option' })
      item.setAttribute('aria-selected', String(i === 0))
      item.dataset.href = u
      return item
    }),
  )
  list.hidden = found.length === 0
  input.setAttribute('aria-expanded', String(found.length > 0))
  if (found.length > 0) input.setAttribute('aria-activedescendant', 'search-0')
  else input.removeAttribute('aria-activedescendant')
  status.textContent = statusText(text, entries, found.length)
}

function statusText(text, entries, count) {
  if (text.trim() === '') return ''
  if (entries === undefined) return 'Search could not be loaded. Check your connection and type again.'
  return count === 0 ? 'No results' : `${count} result${count === 1 ? '' : 's'}`
}
