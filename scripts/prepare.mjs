/**
 * npm runs this script after each installation of the project. The package has no source files, so that an
 * installation from a Git URL needs the build; `npm ci` in a clone does not. npm then runs in the folder of a caller.
 */
import { execSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const isCalledFromElsewhere = (process.env.INIT_CWD ?? process.cwd()) !== process.cwd()
if (isCalledFromElsewhere && existsSync('node_modules/.bin/tsc')) {
  execSync('npm run --silent prepack', { stdio: 'inherit' })
}
