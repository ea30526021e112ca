import { readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createPrivateFolder, looseEntry, writePrivateFile } from '../../lib/private-files.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { CommandError } from '../command.ts'

/** A server and a key for it. */
export interface Profile {
  readonly url: string
  readonly apiKey: string
}

interface Profiles {
  /** The profile that is used if none is named. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
}

/** Undefined where the environment names no folder for settings. */
function profilesFile({ XDG_CONFIG_HOME, HOME, APPDATA }: Environment): string | undefined {
  const folder = XDG_CONFIG_HOME || (HOME ? join(HOME, '.config') : APPDATA)
  return folder ? join(folder, 'pharos', 'profiles.json') : undefined
}

export function readProfiles(environment: Environment): Profiles {
  const file = profilesFile(environment)
  const text = file === undefined ? undefined : readIfExists(file)
  if (text === undefined) return { current: '', profiles: {} }
  if (looseEntry(file ?? '') !== undefined) {
    throw new CommandError(`${file} contains keys, and others can read it. Run "chmod 600 ${file}"`)
  }
  try {
    return JSON.parse(text) as Profiles
  } catch {
    throw new CommandError(`${file} is not JSON. Delete it and run "pharos login"`)
  }
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new CommandError(`Cannot read ${file}: ${(error as Error).message}`)
  }
}

/** The named profile, which must exist, or the current one, if there is one. */
export function findProfile(environment: Environment, name: string): Profile
export function findProfile(environment: Environment, name: string | undefined): Profile | undefined
export function findProfile(environment: Environment, name: string | undefined): Profile | undefined {
  const { current, profiles } = readProfiles(environment)
  const wanted = name ?? current
  if (Object.hasOwn(profiles, wanted)) return profiles[wanted]
  if (name === undefined) return undefined
  const known = Object.keys(profiles).join(', ') || 'none'
  throw new CommandError(`There is no profile "${name}" (known: ${known}). Run "pharos login --profile ${name}"`)
}

/** Replaces the file as a whole, so that a crash leaves the old or the new one. */
export function saveProfiles(environment: Environment, profiles: Profiles): string {
  const file = profilesFile(environment)
  if (file === undefined) throw new CommandError('HOME is not set, so there is no place for the profile')
  const draft = `${file}.${process.pid}`
  try {
    createPrivateFolder(dirname(file))
    writePrivateFile(draft, `${JSON.stringify(profiles, null, 2)}\n`)
    renameSync(draft, file)
  } catch (error) {
    throw new CommandError(`Cannot write ${file}: ${(error as Error).message}`)
  }
  return file
}
