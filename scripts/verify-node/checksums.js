// @ts-check
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/**
 * SHA-256 in hex by file name, from the text of an official SHASUMS256.txt.
 * @param {string} text
 * @returns {ReadonlyMap<string, string>}
 */
export function parseChecksums(text) {
  const entries = [...text.matchAll(/^([0-9a-f]{64}) [ *](\S+)\r?$/gm)]
  return new Map(entries.map(([, sum = '', name = '']) => [name, sum]))
}

/** @param {string | NodeJS.ReadableStream} input */
export async function sha256(input) {
  const hash = createHash('sha256')
  await pipeline(typeof input === 'string' ? createReadStream(input) : input, hash)
  return hash.digest('hex')
}
