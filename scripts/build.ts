/** Builds the dashboard, for an installation that is to have it without the tools that build it. */
import { ensureDashboard } from '../src/cli/dashboard.ts'

if (!(await ensureDashboard((text) => process.stdout.write(text)))) process.exitCode = 1
