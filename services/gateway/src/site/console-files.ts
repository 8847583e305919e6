import { hash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

export interface BuiltFile {
  type: string
  content: Buffer
  gzip: Buffer | undefined
  br: Buffer | undefined
}

export interface ConsoleFiles {
  /** The page of the latest build; null if the console is not built. */
  readIndex(): Promise<string | null>
  /** Finds a file by its path in the directory. Its name changes with its content. */
  find(path: string): BuiltFile | undefined
}

export function openConsoleFiles(dir: string): ConsoleFiles {
  const indexFile = join(dir, 'index.html')
  let version: string | null = null
  let index: string | null = null
  let files: ReadonlyMap<string, BuiltFile> = new Map()

  function load(): void {
    index = readFileSync(indexFile, 'utf8')
    files = readFiles(dir)
  }
  async function versionNow(): Promise<string | null> {
    const found = await stat(indexFile).catch(() => null)
    return found && `${found.ino} ${found.mtimeMs} ${found.size}`
  }
  return {
    async readIndex() {
      const now = await versionNow()
      if (now !== null && now !== version) {
        load()
        version = now
      }
      return index
    },
    find: (path) => files.get(path),
  }
}

function readFiles(dir: string): Map<string, BuiltFile> {
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  const built = paths.filter((path) => types[extname(path)] !== undefined && statSync(join(dir, path)).isFile())
  const known = new Set(paths)
  const variant = (path: string) => (known.has(path) ? readFileSync(join(dir, path)) : undefined)
  return new Map(
    built.map((path) => [
      path,
      {
        type: types[extname(path)] as string,
        content: readFileSync(join(dir, path)),
        gzip: variant(`${path}.gz`),
        br: variant(`${path}.br`),
      },
    ]),
  )
}

export const tagOf = (content: string | Buffer): string => `"${hash('sha256', content, 'base64url')}"`
