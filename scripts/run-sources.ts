/** Runs the program from its sources. `npm start -- --watch` runs it again after each change of them. */
import { runCommand } from '../src/cli/main.ts'

await runCommand(process.argv.slice(2))
