// take.mjs PACKAGE: copies the dependencies of one workspace package from the installation of install.mjs to /taken.
// A separate npm installation would take ten times as long.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const [from, to] = ['/installed', '/taken']

/** The path at which Node finds a package: in node_modules of the directory or of a parent; workspaces are links. */
function find(name, dir) {
  const path = join(dir, 'node_modules', name)
  if (existsSync(join(from, path))) return path
  return dir === '.' ? undefined : find(name, dirname(dir))
}

const taken = new Set()
function take(path) {
  if (taken.has(path)) return
  taken.add(path)
  const dir = relative(from, realpathSync(join(from, path)))
  if (dir === path) {
    const isOwn = (file) => file !== join(from, dir, 'node_modules')
    cpSync(join(from, dir), join(to, dir), { recursive: true, filter: isOwn })
  } else {
    take(dir)
    mkdirSync(join(to, dirname(path)), { recursive: true })
    symlinkSync(relative(dirname(path), dir), join(to, path))
  }
  const manifest = JSON.parse(readFileSync(join(from, dir, 'package.json'), 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const found = find(name, dir)
    if (found !== undefined) take(found)
  }
}

take(join('node_modules', process.argv[2]))
for (const path of ['package.json', 'deploy']) cpSync(join(from, path), join(to, path), { recursive: true })
const sbom = ['sbom', '--sbom-format=cyclonedx', '--omit=dev']
writeFileSync(join(to, 'sbom.cdx.json'), execFileSync('npm', sbom, { cwd: to, stdio: ['ignore', 'pipe', 'inherit'] }))
