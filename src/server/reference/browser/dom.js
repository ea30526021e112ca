/** @type {(selector: string, within?: ParentNode) => any[]} */
export function all(selector, within = document) {
  return [...within.querySelectorAll(selector)]
}

/** @type {(name: string, text: string, className?: string) => any} */
export function element(name, text, className = '') {
  const made = document.createElement(name)
  made.textContent = text
  if (className !== '') made.className = className
  return made
}
