/**
 * Replaces comments and the text of strings, templates and regular expressions with spaces. Every other character keeps its
 * position. Code inside `${…}` is kept.
 */
export function blank(source: string): string {
  const landmark = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|[`{}/]/g
  let code = ''
  let at = 0
  const keep = (end: number) => {
    code += source.slice(at, end)
    at = end
  }
  const hide = (end: number) => {
    code += source.slice(at, end).replace(/[^\n]/g, ' ')
    at = end
  }
  /** One entry per open brace: true if its closing brace continues a template. */
  const braces: boolean[] = []
  const hideTemplate = () => {
    hide(endOf(/(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y, source, at))
    if (source[at] === '$') {
      braces.push(true)
      hide(at + 2)
    } else {
      keep(at + 1)
    }
  }
  while (at < source.length) {
    landmark.lastIndex = at
    const match = landmark.exec(source)
    keep(match?.index ?? source.length)
    const [text = ''] = match ?? []
    if (text === '`') {
      keep(at + 1)
      hideTemplate()
    } else if (text === '}' && braces.pop()) {
      hide(at + 1)
      hideTemplate()
    } else if (text === '{' || text === '}') {
      if (text === '{') braces.push(false)
      keep(at + 1)
    } else if (text === '/') {
      if (startsRegex(code)) hide(endOf(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+/y, source, at))
      keep(at + 1)
    } else if (text.startsWith('/')) {
      hide(at + text.length)
    } else if (text !== '') {
      // Keeps the quotes, so that a slash behind them is read as a division.
      keep(at + 1)
      hide(at + text.length - 2)
      keep(at + 1)
    }
  }
  return code
}

/** A slash after a value divides; anywhere else it opens a regular expression. */
function startsRegex(codeBefore: string): boolean {
  return /(?:^|[([{,;=:!&|?+\-*%<>~^]|\b(?:return|case|typeof|of|in))$/.test(codeBefore.trimEnd().slice(-10))
}

function endOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : at
}
