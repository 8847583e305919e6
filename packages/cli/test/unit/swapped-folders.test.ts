import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileRecord } from '@tideport/sdk'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { describe, expect, it } from 'vitest'
import { inFolder } from '../../src/local/held-folder.ts'
import { downloadFile } from '../../src/transfer/download-file.ts'

/** Another user with write access to the folder, who repeatedly replaces it with a link to elsewhere. */
const swapper = `
const { renameSync, symlinkSync, unlinkSync } = await import('node:fs')
const [, deep, elsewhere] = process.argv
for (;;) {
  try {
    renameSync(deep, deep + '.away')
    symlinkSync(elsewhere, deep)
    unlinkSync(deep)
    renameSync(deep + '.away', deep)
  } catch {}
}`

const list = (path: string) => readdir(path)

async function places() {
  const directory = await createTemporaryDirectory('swapped')
  const root = join(directory.path, 'to')
  const [deep, elsewhere] = [join(root, 'deep'), join(directory.path, 'elsewhere')]
  await mkdir(deep, { recursive: true })
  await mkdir(elsewhere)
  return { root, deep, elsewhere, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

describe.skipIf(process.platform !== 'linux')('a folder that is replaced with a link', () => {
  it('is used through its descriptor for work that has started', async () => {
    await using at = await places()
    await writeFile(join(at.elsewhere, 'a'), 'theirs')
    await inFolder({ root: at.root, folder: at.deep }, async (path) => {
      await rename(at.deep, `${at.deep}.away`)
      await symlink(at.elsewhere, at.deep)
      await writeFile(join(path, 'a'), 'ours')
      await writeFile(join(path, 'b'), 'ours')
      await rm(join(path, 'b'))
    })
    expect(await readFile(join(at.elsewhere, 'a'), 'utf8')).toBe('theirs')
    expect(await readdir(`${at.deep}.away`)).toEqual(['a'])
    await expect(inFolder({ root: at.root, folder: join(at.deep, 'er'), make: true }, list)).rejects.toThrow(
      `${at.deep} is a symbolic link, which may point elsewhere`,
    )
    expect(await readdir(at.elsewhere)).toEqual(['a'])
  })

  it('appears under its name in errors', async () => {
    await using at = await places()
    const failing = inFolder({ root: at.root, folder: at.deep }, (path) => readFile(join(path, 'none')))
    await expect(failing).rejects.toThrow(`ENOENT: no such file or directory, open '${at.deep}/none'`)
    await expect(inFolder({ root: at.root, folder: join(at.deep, 'none') }, list)).rejects.toThrow(`'${at.deep}/none'`)
  })

  it('redirects no download, not even an empty part', async () => {
    await using at = await places()
    const seen: string[] = []
    const watcher = watch(at.elsewhere, (kind, name) => seen.push(`${kind} ${name}`))
    const args = ['--input-type=module', '--eval', swapper, at.deep, at.elsewhere]
    const child = spawn(process.execPath, args, { env: nodeEnvironment(), stdio: 'ignore' })
    const contents = { sizeBytes: 4, checksumSha256: null, isEncrypted: true, open: async () => [Buffer.from('ours')] as never } // biome-ignore format: one record
    const { signal } = new AbortController()
    const download = (name: string) => {
      const target = { root: at.root, path: join(at.deep, name), overwrite: true, signal }
      return downloadFile({ id: 'x' } as FileRecord, contents, target).catch(() => null)
    }
    for (let round = 0; round < 100; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => download(`${round}-${index}`)))
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(seen).toEqual([])
    expect(await readdir(at.elsewhere)).toEqual([])
    watcher.close()
  })
})
