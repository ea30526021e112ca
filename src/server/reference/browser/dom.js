/** @type {(selector: string, within?: ParentNode) => any[]} */
export function all(selector, within = document) {
  return [...within.querySelectorAll(selector)]
}

/** @type {(name: string, text: string, className?: string) => any} */
export function element(name, text, className = '') {
  const created = document.createElement(name)
  created.textContent = text
  if (className !== '') created.className = className
  return created
}
