// Builds the console into /console. npm sees only the console's two workspaces and, of their tools, only the bundler. The
// lock file still pins all versions. Not TypeScript, for the reasons in install.mjs.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const target = '/building'
mkdirSync(target)
for (const path of ['package.json', 'package-lock.json', '.npmrc', 'packages/sdk', 'apps/console']) {
  cpSync(path, join(target, path), { recursive: true })
}
for (const dir of ['.', 'packages/sdk']) {
  const file = join(target, dir, 'package.json')
  const { devDependencies: _dev, optionalDependencies: _tools, ...manifest } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify(manifest))
}
const run = (command, args) => execFileSync(command, args, { cwd: target, stdio: ['ignore', 'inherit', 'inherit'] })
run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
run('node', ['apps/console/build/main.ts', '--out', '/console'])
