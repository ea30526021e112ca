import { join } from 'node:path'

/** Prints the address of every module that comes from a package, and the module of Node that takes longest to load. */
const hook = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.includes('/node_modules/') || url === 'node:child_process') process.stderr.write(url + '\\n')
      return next(url, context)
    },
  })`

/** Arguments of Node that make it print on standard error what is loaded of packages. */
export const packageHook = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`]

const main = join(import.meta.dirname, '../../src/cli/main.ts')

/** For `node -e`: runs a command line. The build is divided by the same imports, but it contains the packages. */
export const runMain = `import(${JSON.stringify(main)}).then(({ runCommand }) => runCommand(process.argv.slice(1)))`
