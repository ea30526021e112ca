import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/** Any code point that can be encoded. The unit 'binary' of fast-check has the same, but takes a second and 100 MB to prepare. */
export const anyCharacter = fc.integer({ min: 0, max: 0x10_ffff - SURROGATES }).map((index) => {
  return String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES)
})
