// install.mjs WORKSPACE…: a production install of these workspaces and their dependencies into /installed.
// `npm ci --omit=dev --workspace` would include the dependencies of packages/testing (npm never treats a linked workspace
// as dev): 170 MB instead of 60. So npm sees only the workspaces that run, without their devDependencies. The lock file
// still pins all versions. Not TypeScript: nothing is installed yet, and the base image may contain an older Node.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const target = '/installed'
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))
const dirByName = new Map(
  globSync('{packages,services}/*/package.json').map((file) => [read(file).name, dirname(file)]),
)

const wanted = new Set()
function want(dir) {
  if (wanted.has(dir)) return
  wanted.add(dir)
  for (const name of Object.keys(read(join(dir, 'package.json')).dependencies ?? {})) {
    if (dirByName.has(name)) want(dirByName.get(name))
  }
}
process.argv.slice(2).forEach(want)

mkdirSync(target)
for (const dir of wanted) cpSync(dir, join(target, dir), { recursive: true })
for (const file of globSync('deploy/image/{*.ts,upgrade-container.sh}')) cpSync(file, join(target, file))
for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(file, join(target, file))
for (const dir of ['.', ...wanted]) {
  const file = join(target, dir, 'package.json')
  const { devDependencies: _dev, scripts: _scripts, optionalDependencies, ...manifest } = read(file)
  // The root's dependencies are tools.
  const optional = dir === '.' ? {} : { optionalDependencies }
  writeFileSync(file, JSON.stringify({ ...manifest, ...optional }, null, 2))
}

const npm = (args, stdout = 'inherit') =>
  execFileSync('npm', args, { cwd: target, stdio: ['ignore', stdout, 'inherit'] })
npm(['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'])
writeFileSync(join(target, 'sbom.cdx.json'), npm(['sbom', '--sbom-format=cyclonedx', '--omit=dev'], 'pipe'))
// Files that Node does not read at run time: half of the bytes.
const unread = ['node_modules/**/*.{d.ts,d.mts,d.cts,map,md}', 'node_modules/{[!@]*,@*/*}/{test,tests}']
for (const path of globSync(unread, { cwd: target })) rmSync(join(target, path), { recursive: true, force: true })
for (const file of ['package-lock.json', '.npmrc']) rmSync(join(target, file))
