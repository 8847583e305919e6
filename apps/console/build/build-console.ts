import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build } from 'vite'

const root = join(import.meta.dirname, '..')
const worthCompressingBytes = 512

/**
 * Builds the console into `outDir`: index.html, and files named by their digests, each also compressed. Earlier files
 * stay until all are built.
 */
export async function buildConsole(outDir: string): Promise<void> {
  const making = `${outDir}.new-${process.pid}`
  await rm(making, { recursive: true, force: true })
  await build({
    root,
    configFile: false,
    // Asset addresses are relative to the page's <base>, so the console works below any path.
    base: './',
    logLevel: 'warn',
    // NODE_ENV must not change the result: development builds are larger and contain paths of the build machine.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: making,
      emptyOutDir: true,
      target: 'es2023',
      // The page's policy allows no data: URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // One style sheet and one file for all shared code keep the number of requests small.
      cssCodeSplit: false,
      rolldownOptions: {
        output: { hashCharacters: 'hex', codeSplitting: { groups: [{ name: 'parts', minShareCount: 2 }] } },
      },
    },
  })
  await compress(making)
  await rm(outDir, { recursive: true, force: true })
  await rename(making, outDir)
}

async function compress(dir: string): Promise<void> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'index.html')
  await Promise.all(files.map(({ parentPath, name }) => compressFile(join(parentPath, name))))
}

async function compressFile(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < worthCompressingBytes) return
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes))
}
