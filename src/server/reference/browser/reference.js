/**
 * The script of the API reference: theme, language of the examples, copying, search, try-it forms, and navigation without reloading, which
 * keeps the API key in memory.
 */

const root = document.documentElement

/** Typed by the reader. In memory only: never stored, and sent to this server only. */
let apiKey = ''

/** @type {(selector: string, within?: ParentNode) => any[]} */
function all(selector, within = document) {
  return [...within.querySelectorAll(selector)]
}

/** @type {(name: string, text: string, className?: string) => any} */
function element(name, text, className = '') {
  const created = document.createElement(name)
  created.textContent = text
  if (className !== '') created.className = className
  return created
}

/** Reads or writes a setting. Where storage is forbidden, it holds until the page is closed. */
function setting(name, value = null) {
  try {
    if (value !== null) localStorage.setItem(name, value)
    return localStorage.getItem(name)
  } catch {
    return value
  }
}

/** The same setting as the dashboard's. */
function applyTheme(theme) {
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  else delete root.dataset.theme
}

function applyLanguage(language) {
  root.dataset.language = language
  for (const button of all('.languages button')) {
    button.setAttribute('aria-pressed', String(button.dataset.language === language))
  }
}

/** Prepares the content of a page, also after navigation. */
function prepare() {
  for (const hidden of all('.copy, .try, .search, .theme, .menu')) hidden.hidden = false
  applyLanguage(root.dataset.language ?? 'curl')
  for (const input of all('input.key')) input.value = apiKey
}

async function copy(button) {
  const text = button.parentElement?.querySelector('code')?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Selected'
    const code = button.parentElement?.querySelector('code')
    if (code) getSelection()?.selectAllChildren(code)
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

function chooseExample(select) {
  const request = select.closest('.request')
  if (request === null) return
  for (const sample of all('.sample', request)) sample.hidden = sample.dataset.example !== select.value
  // The form follows the chosen example.
  const body = select.selectedOptions[0]?.dataset.body
  const area = request.parentElement?.querySelector('textarea[name=body]')
  if (body !== undefined && area) area.value = body
}

/** The address and body of a form's request. */
function requestOf(form) {
  let path = form.dataset.path ?? ''
  const query = new URLSearchParams()
  for (const input of all('[data-place]', form)) {
    if (input.dataset.place === 'path') path = path.replace(`{${input.name}}`, encodeURIComponent(input.value.trim()))
    else if (input.value !== '') query.set(input.name, input.value)
  }
  const body = form.querySelector('textarea[name=body]')?.value
  return { url: path + (query.size === 0 ? '' : `?${query}`), body }
}

async function send(form) {
  const result = form.querySelector('.result')
  const button = form.querySelector('.send')
  if (result === null || button === null) return
  const { url, body } = requestOf(form)
  button.disabled = true
  result.replaceChildren(element('p', 'Sending…'))
  const startedAt = performance.now()
  try {
    const response = await fetch(url, {
      method: form.dataset.method ?? 'GET',
      credentials: 'omit',
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    })
    const text = await response.text()
    showResult(result, response, text, Math.round(performance.now() - startedAt))
  } catch (error) {
    result.replaceChildren(element('p', `The server did not respond: ${error.message}`, 'failed'))
  } finally {
    button.disabled = false
  }
}

function showResult(result, response, text, tookMs) {
  const remaining = response.headers.get('ratelimit-remaining')
  const left = remaining === null ? '' : ` · ${remaining} requests left`
  const line = element(
    'p',
    `${response.status} ${response.statusText} · ${tookMs} ms${left}`,
    response.ok ? 'ok' : 'failed',
  )
  const code = element('code', pretty(text))
  const block = element('pre', '')
  block.tabIndex = 0
  block.append(code)
  const frame = element('div', '', 'code')
  frame.append(block)
  result.replaceChildren(line, frame)
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

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
async function search(input) {
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

function closeSearch(input) {
  input.value = ''
  void search(input)
}

function searchKey(event, input) {
  const items = all('#search-results li')
  const at = items.findIndex((item) => item.getAttribute('aria-selected') === 'true')
  if (event.key === 'Escape') closeSearch(input)
  else if (event.key === 'Enter' && items[at]?.dataset.href !== undefined) {
    event.preventDefault()
    const { href } = items[at].dataset
    closeSearch(input)
    void visit(href, true)
  } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && items.length > 0) {
    event.preventDefault()
    const next = (at + (event.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length
    items.forEach((item, i) => void item.setAttribute('aria-selected', String(i === next)))
    input.setAttribute('aria-activedescendant', `search-${next}`)
    items[next]?.scrollIntoView({ block: 'nearest' })
  }
}

function closeMenu() {
  document.querySelector('nav')?.classList.remove('open')
  document.querySelector('.menu')?.setAttribute('aria-expanded', 'false')
}

/** The path whose content is shown. */
let shown = location.pathname
/** Counts visits: a page that arrives after a later visit began is not shown. */
let visits = 0

async function pageText(path) {
  try {
    const response = await fetch(path)
    return response.ok ? await response.text() : undefined
  } catch {
    return undefined
  }
}

/** Shows another page of the reference without reloading. */
async function visit(address, isNew) {
  const url = new URL(address, location.href)
  closeMenu()
  visits += 1
  const visitNumber = visits
  if (url.pathname !== shown) {
    const text = await pageText(url.pathname)
    if (visitNumber !== visits) return
    if (text === undefined) return location.assign(url)
    const next = new DOMParser().parseFromString(text, 'text/html')
    const [main, nav] = ['main', 'nav'].map((name) => next.querySelector(name))
    if (!main || !nav) return location.assign(url)
    document.querySelector('main')?.replaceWith(main)
    document.querySelector('nav')?.replaceWith(nav)
    document.title = next.title
    shown = url.pathname
    prepare()
  }
  if (isNew) history.pushState(null, '', url)
  const target = url.hash === '' ? null : document.getElementById(decodeURIComponent(url.hash.slice(1)))
  if (target === null) scrollTo(0, 0)
  else target.scrollIntoView()
  /** @type {any} */
  const focused = target?.querySelector('h2') ?? target ?? document.querySelector('main')
  if (focused === null) return
  focused.tabIndex = -1
  focused.focus({ preventScroll: true })
}

function onClick(event) {
  const target = event.target
  const button = target.closest('button')
  if (button?.classList.contains('copy')) void copy(button)
  else if (button?.dataset.language !== undefined) {
    setting('pharos.docs.language', button.dataset.language)
    applyLanguage(button.dataset.language)
  } else if (button?.classList.contains('menu')) {
    const isOpen = document.querySelector('nav')?.classList.toggle('open') === true
    button.setAttribute('aria-expanded', String(isOpen))
  }
  const option = target.closest('#search-results li')
  if (option?.dataset.href !== undefined) {
    closeSearch(document.querySelector('#search'))
    void visit(option.dataset.href, true)
  }
  const link = target.closest('a[href]')
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (link === null || !isPlain || link.origin !== location.origin || !/^\/docs(\/|$)/.test(link.pathname)) return
  event.preventDefault()
  void visit(link.href, true)
}

function start() {
  root.classList.add('scripted')
  prepare()
  /** @type {HTMLSelectElement | null} */
  const theme = document.querySelector('.theme select')
  if (theme) theme.value = root.dataset.theme ?? 'system'
  document.addEventListener('click', onClick)
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return
    if (target.closest('.example')) chooseExample(target)
    if (target.closest('.theme')) applyTheme(setting('pharos.theme', target.value))
  })
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return
    if (target.id === 'search') void search(target)
    if (!target.classList.contains('key')) return
    apiKey = target.value.trim()
    for (const other of all('input.key')) if (other !== target) other.value = apiKey
  })
  document.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(event.target)
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
    /** @type {HTMLInputElement | null} */
    const input = document.querySelector('#search')
    if (input === null) return
    if (event.target === input) searchKey(event, input)
    else if ((event.key === '/' && !isTyping) || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
      event.preventDefault()
      document.querySelector('nav')?.classList.add('open')
      input.focus()
    }
  })
  addEventListener('popstate', () => void visit(location.href, false))
}

// Before the page is painted.
applyTheme(setting('pharos.theme'))
root.dataset.language = setting('pharos.docs.language') ?? 'curl'
document.addEventListener('DOMContentLoaded', start)
