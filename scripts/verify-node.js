// @ts-check
/**
 * Compares the Node binary that npm installed with the official release. The npm packages are published by third parties.
 * Part of the release steps (CONTRIBUTING.md); see docs/decisions/0011-bundled-node.md. It is JavaScript, because another Node
 * than the installed one must run it, and older ones do not know types.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { platforms, releaseName, thisPlatform } from './verify-node/platforms.js'

const root = join(import.meta.dirname, '..')
/** About five times the size of Node. */
const MAX_BINARY_BYTES = 512 * 1024 * 1024

const HELP = `Compares the bundled Node binary with the official release.

Usage: npm run verify-node -- [options]
       node scripts/verify-node.js [options]   (any Node from 20 on but the installed one)

  --list FILE|URL     the official SHASUMS256.txt (https://nodejs.org/dist/vVERSION/SHASUMS256.txt)
  --archive FILE|URL  the official .tar.gz or .tar.xz of the platform (the one beside the list)
  --platform NAME     one of ${Object.keys(platforms).join(', ')} (this machine's)
  --binary FILE       the binary to compare (the one in node_modules)
  --help              print this text

On Windows the list has the checksum of node.exe itself, and no archive is needed. On other platforms the list has
checksums of archives only: the archive's checksum is compared with the list, then the binary with the one in the archive.
The list itself is signed: verify SHASUMS256.txt.asc with gpg and the release keys of the Node project.

Exit code: 0 the binary is the official one, 1 it is not, 2 it could not be compared.`

/** The comparison could not be made. */
class CannotCompare extends Error {}

/**
 * @typedef {object} Options
 * @property {string} list
 * @property {string | undefined} archive
 * @property {string} platform
 * @property {string} binary
 * @property {string} version
 */

try {
  process.exitCode = await main()
} catch (error) {
  const reason = error instanceof CannotCompare ? error.message : /** @type {Error} */ (error).stack
  process.stderr.write(`verify-node: ${reason}\n`)
  process.exitCode = 2
}

async function main() {
  const options = readOptions()
  if (options === undefined) {
    process.stdout.write(`${HELP}\n`)
    return 0
  }
  requireOtherNode(options.binary)
  const official = await officialChecksum(options)
  const installed = sha256(readFileSync(options.binary))
  const matches = installed === official.sum
  process.stdout.write(
    `Binary    ${options.binary}\n          SHA-256 ${installed}\n` +
      `Official  ${official.source}\n          SHA-256 ${official.sum}\n` +
      (matches
        ? `The binary is the official one of Node ${options.version} for ${options.platform}.\n`
        : `THE BINARY DIFFERS from the official one of Node ${options.version} for ${options.platform}. Do not release it.\n`),
  )
  return matches ? 0 : 1
}

/** @param {Buffer} content */
function sha256(content) {
  return createHash('sha256').update(content).digest('hex')
}

/**
 * A binary that was tampered with could lie about itself, so neither it nor another one of npm may run this script.
 * @param {string} binary
 */
function requireOtherNode(binary) {
  const [runner, verified] = [statSync(process.execPath), statSync(binary)]
  const isVerified = runner.dev === verified.dev && runner.ino === verified.ino
  const isFromNpm = realpathSync(process.execPath).startsWith(join(realpathSync(root), 'node_modules') + sep)
  if (!isVerified && !isFromNpm) return
  throw new CannotCompare(
    `${process.execPath} is the Node to verify, and it could lie about itself; run "PATH_OF_ANOTHER_NODE scripts/verify-node.js"`,
  )
}

function parseOptions() {
  const text = /** @type {const} */ ({ type: 'string' })
  const help = /** @type {const} */ ({ type: 'boolean', short: 'h' })
  try {
    return parseArgs({ options: { list: text, archive: text, platform: text, binary: text, help } }).values
  } catch (error) {
    throw new CannotCompare(`${/** @type {Error} */ (error).message.split('. ')[0]}; see --help`)
  }
}

/**
 * Undefined for --help.
 * @returns {Options | undefined}
 */
function readOptions() {
  const values = parseOptions()
  if (values.help === true) return undefined
  const platform = values.platform ?? thisPlatform()
  const known = platforms[platform]
  if (known === undefined) throw new CannotCompare(`No Node is bundled for ${platform}; see --help for the platforms`)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  /** @type {string} */
  const version = manifest.optionalDependencies[known.package]
  const binary = values.binary ?? join(root, 'node_modules', known.package, known.binary)
  if (!existsSync(binary)) {
    throw new CannotCompare(`${binary} does not exist; run "npm ci" on ${platform}, or name the file with --binary`)
  }
  const list = values.list ?? `https://nodejs.org/dist/v${version}/SHASUMS256.txt`
  return { list, archive: values.archive, platform, binary, version }
}

/** @param {Options} options */
async function officialChecksum(options) {
  const { list, platform, version } = options
  const lines = (await contentOf(list)).toString().matchAll(/^([0-9a-f]{64}) [ *](\S+)\r?$/gm)
  const sums = new Map(Array.from(lines, ([, sum = '', name = '']) => [name, sum]))
  if (sums.size === 0) throw new CannotCompare(`${list} has no checksums; give an official SHASUMS256.txt`)
  const listedAs = platforms[platform]?.listedAs
  const name = listedAs ?? basename(options.archive ?? `${releaseName(version, platform)}.tar.gz`)
  const sum = sums.get(name)
  if (sum === undefined) {
    throw new CannotCompare(`${list} has no checksum for ${name}; give the list of Node ${version}`)
  }
  if (listedAs === undefined) {
    return { sum: await sumInArchive(options, name, sum), source: `${name}, listed in ${list}` }
  }
  // The name win-x64/node.exe has no version, so the version is read from the other names in the list.
  if ([...sums.keys()].some((other) => other.startsWith(`node-v${version}`))) {
    return { sum, source: `${listedAs} in ${list}` }
  }
  throw new CannotCompare(`${list} is not the list of Node ${version}`)
}

/**
 * Extracts the binary only after the archive's own checksum is found right.
 * @param {Options} options
 * @param {string} name
 * @param {string} expected
 */
async function sumInArchive(options, name, expected) {
  const release = releaseName(options.version, options.platform)
  if (name !== `${release}.tar.gz` && name !== `${release}.tar.xz`) {
    throw new CannotCompare(`${name} is not an archive of Node ${options.version} for ${options.platform}`)
  }
  const place = options.archive ?? beside(options.list, name)
  const archive = await contentOf(place)
  if (sha256(archive) !== expected) {
    throw new CannotCompare(`${name} does not have the checksum in the list: it is damaged or not the official archive`)
  }
  const args = [name.endsWith('.gz') ? '-xzOf' : '-xJOf', '-', `${release}/bin/node`]
  const { error, status, stdout } = spawnSync('tar', args, {
    input: archive,
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: MAX_BINARY_BYTES,
  })
  if (error !== undefined) throw new CannotCompare(`tar cannot be run (${error.message})`)
  if (status === 0) return sha256(stdout)
  throw new CannotCompare(`tar could not extract ${release}/bin/node from ${place}; a .tar.xz needs xz`)
}

/**
 * @param {string} list
 * @param {string} name
 */
function beside(list, name) {
  return isUrl(list) ? new URL(name, list).href : join(dirname(list), name)
}

/** @param {string} place */
function isUrl(place) {
  return /^https?:\/\//.test(place)
}

/**
 * The content of a file or an address.
 * @param {string} place
 */
async function contentOf(place) {
  if (!isUrl(place)) {
    if (existsSync(place)) return readFileSync(place)
    throw new CannotCompare(`${place} does not exist`)
  }
  const { protocol, hostname } = new URL(place)
  if (protocol !== 'https:' && hostname !== '127.0.0.1') throw new CannotCompare(`${place} must begin with https://`)
  try {
    const response = await fetch(place)
    if (!response.ok) throw new Error(`status ${response.status}`)
    return Buffer.from(await response.arrayBuffer())
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error)
    throw new CannotCompare(`${place} cannot be downloaded (${cause instanceof Error ? cause.message : message})`)
  }
}
