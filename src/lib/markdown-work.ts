import type MarkdownIt from 'markdown-it'

type Engine = InstanceType<typeof MarkdownIt>
type BlockState = InstanceType<Engine['block']['State']>
type InlineState = InstanceType<Engine['inline']['State']>

/**
 * The most work for one text, in units of about one microsecond. A text of 50,000 characters with ordinary formatting takes 4,000 to
 * 7,000 units, one that is made to be slow up to 200,000.
 */
const MAX_WORK = 20_000

const BLOCK_TOKEN = 2
const INLINE_TOKEN = 1
/** A run of `*`, `_` or `~`, which has to be matched with others. */
const DELIMITER = 1
const LINE = 0.5
/** For each line and level of quotes. */
const QUOTED_LINE = 0.25
/** A step of the search for the end of a link text. */
const SKIPPED_TOKEN = 0.1
const LINK_DESTINATION = 4
const LINK = 15
const LINK_CHARACTER = 0.05
/** Host names with such characters are converted to Punycode. */
const NON_ASCII_LINK_CHARACTER = 0.7
/** A longer address stays text. Without spaces, the search for the end of an address would cover the rest of the text. */
const MAX_LINK_LENGTH = 2_000

export class TooMuchWork extends Error {
  override name = 'TooMuchWork'
}

/**
 * Makes the engine count its work and throw TooMuchWork beyond MAX_WORK. The work is counted in steps, not in time, so that a text is
 * rendered the same way on every machine. Returns a function that resets the count before a text.
 */
export function limitWork(engine: Engine): () => void {
  let work = 0
  const add = (units: number): void => {
    work += units
    if (work > MAX_WORK) throw new TooMuchWork('The text takes too much work to render as Markdown')
  }
  countBlocks(engine, add)
  countInline(engine, add)
  return () => {
    work = 0
  }
}

type Add = (units: number) => void

function countBlocks({ block }: Engine, add: Add): void {
  block.State = class extends block.State {
    override push(...args: Parameters<BlockState['push']>) {
      add(BLOCK_TOKEN)
      return super.push(...args)
    }

    /** The rules call this for every line that they look at. */
    override isEmpty(line: number): boolean {
      add(LINE)
      return super.isEmpty(line)
    }
  }
  const tokenize = block.tokenize.bind(block)
  block.tokenize = (state, startLine, endLine) => {
    if (state.parentType === 'blockquote') add((endLine - startLine) * QUOTED_LINE)
    tokenize(state, startLine, endLine)
  }
}

function countInline(engine: Engine, add: Add): void {
  const { inline } = engine
  inline.State = class extends inline.State {
    override push(...args: Parameters<InlineState['push']>) {
      add(INLINE_TOKEN)
      return super.push(...args)
    }

    override pushPending() {
      add(INLINE_TOKEN)
      return super.pushPending()
    }

    override scanDelims(...args: Parameters<InlineState['scanDelims']>) {
      add(DELIMITER)
      return super.scanDelims(...args)
    }
  }
  const skipToken = inline.skipToken.bind(inline)
  inline.skipToken = (state) => {
    add(SKIPPED_TOKEN)
    skipToken(state)
  }
  const { parseLinkDestination } = engine.helpers
  engine.helpers = {
    ...engine.helpers,
    parseLinkDestination(text, start, max) {
      add(LINK_DESTINATION)
      return parseLinkDestination(text, start, Math.min(max, start + MAX_LINK_LENGTH))
    },
  }
  const normalizeLink = engine.normalizeLink.bind(engine)
  engine.normalizeLink = (url) => {
    add(LINK + url.length * (isAscii(url) ? LINK_CHARACTER : NON_ASCII_LINK_CHARACTER))
    return normalizeLink(url)
  }
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the range of ASCII
  return /^[\u0000-\u007f]*$/.test(text)
}
