// @ts-check
/**
 * Compares the Node binary that npm installed with the official release. The npm packages are published by third parties.
 * Part of the release steps (CONTRIBUTING.md); see docs/decisions/0011-bundled-node.md. It is JavaScript, because another Node
 * than the installed one must run it, and older ones do not know types.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { parseChecksums, sha256 } from './verify-node/checksums.js'
import { platforms, releaseName, thisPlatform } from './verify-node/platforms.js'

const root = join(import.meta.dirname, '..')

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
  const scratch = mkdtempSync(join(tmpdir(), 'verify-node-'))
  try {
    const official = await officialChecksum(options, scratch)
    const installed = await sha256(options.binary)
    const matches = installed === official.sum
    process.stdout.write(
      `Binary    ${options.binary}\n          SHA-256 ${installed}\n` +
        `Official  ${official.source}\n          SHA-256 ${official.sum}\n` +
        (matches
          ? `The binary is the official one of Node ${options.version} for ${options.platform}.\n`
          : `THE BINARY DIFFERS from the official one of Node ${options.version} for ${options.platform}. Do not release it.\n`),
    )
    return matches ? 0 : 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
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

/**
 * @param {Options} options
 * @param {string} scratch
 */
async function officialChecksum(options, scratch) {
  const { list, platform, version } = options
  const sums = parseChecksums(readFileSync(await localFile(list, scratch), 'utf8'))
  if (sums.size === 0) throw new CannotCompare(`${list} has no checksums; give an official SHASUMS256.txt`)
  const listedAs = platforms[platform]?.listedAs
  const name = listedAs ?? basename(options.archive ?? `${releaseName(version, platform)}.tar.gz`)
  const sum = sums.get(name)
  if (sum === undefined) {
    throw new CannotCompare(`${list} has no checksum for ${name}; give the list of Node ${version}`)
  }
  if (listedAs !== undefined) {
    requireVersion(sums, version, list)
    return { sum, source: `${listedAs} in ${list}` }
  }
  return { sum: await sumInArchive(options, name, sum, scratch), source: `${name}, listed in ${list}` }
}

/**
 * The name win-x64/node.exe has no version, so the version is read from the other names in the list.
 * @param {ReadonlyMap<string, string>} sums
 * @param {string} version
 * @param {string} list
 */
function requireVersion(sums, version, list) {
  if ([...sums.keys()].some((name) => name.startsWith(`node-v${version}`))) return
  throw new CannotCompare(`${list} is not the list of Node ${version}`)
}

/**
 * Extracts the binary only after the archive's own checksum is found right.
 * @param {Options} options
 * @param {string} name
 * @param {string} expected
 * @param {string} scratch
 */
async function sumInArchive(options, name, expected, scratch) {
  const release = releaseName(options.version, options.platform)
  if (name !== `${release}.tar.gz` && name !== `${release}.tar.xz`) {
    throw new CannotCompare(`${name} is not an archive of Node ${options.version} for ${options.platform}`)
  }
  const archive = await localFile(options.archive ?? beside(options.list, name), scratch)
  if ((await sha256(archive)) !== expected) {
    throw new CannotCompare(`${name} does not have the checksum in the list: it is damaged or not the official archive`)
  }
  const tar = spawn('tar', ['-xOf', archive, `${release}/bin/node`], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(tar, 'exit')
  exit.catch(() => undefined)
  const sum = await sha256(tar.stdout)
  const [code] = await exit.catch((/** @type {Error} */ error) => {
    throw new CannotCompare(`tar cannot be run (${error.message})`)
  })
  if (code === 0) return sum
  throw new CannotCompare(`tar could not extract ${release}/bin/node from ${archive}; a .tar.xz needs xz`)
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
 * The path of a file, downloaded first if it is an address.
 * @param {string} place
 * @param {string} scratch
 */
async function localFile(place, scratch) {
  if (!isUrl(place)) {
    if (existsSync(place)) return place
    throw new CannotCompare(`${place} does not exist`)
  }
  const { protocol, hostname, pathname } = new URL(place)
  if (protocol !== 'https:' && hostname !== '127.0.0.1') throw new CannotCompare(`${place} must begin with https://`)
  const file = join(scratch, basename(pathname))
  try {
    const response = await fetch(place)
    if (!response.ok || response.body === null) throw new Error(`status ${response.status}`)
    await pipeline(Readable.fromWeb(response.body), createWriteStream(file))
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error)
    throw new CannotCompare(`${place} cannot be downloaded (${cause instanceof Error ? cause.message : message})`)
  }
  return file
}
