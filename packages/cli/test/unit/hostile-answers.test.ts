import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { FileRecord } from '@tideport/sdk'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { checkService } from '../../src/doctor/checks.ts'
import { readManifests } from '../../src/export/read-manifests.ts'
import { downloadFile } from '../../src/transfer/download-file.ts'

it('rejects a file ID that would leave the folder', async () => {
  await using directory = await createTemporaryDirectory('ids')
  const root = join(directory.path, 'to')
  const contents = {
    ...{ sizeBytes: 20 * 1024 ** 2, checksumSha256: null, isEncrypted: true },
    open: async () => [new Uint8Array(4)] as never,
  }
  const target = { root, path: join(root, 'film'), overwrite: true, signal: new AbortController().signal }
  await expect(downloadFile({ id: '/../../out' } as FileRecord, contents, target)).rejects.toThrow('is not a file ID')
  expect(await readdir(directory.path)).toEqual(['to'])
})

it('stops reading an endless API description', async () => {
  const server = createServer((_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(1024 ** 2, ' ')));
      response.once('drain', more)
    }
    more()
  })
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  try {
    await expect(checkService(url, new AbortController().signal)).rejects.toThrow('is not Tideport')
  } finally {
    await closeAtOnce(server)
  }
})

it('rejects an export with endless or invalid lines', async () => {
  await using directory = await createTemporaryDirectory('lines')
  const read = async (text: string) => {
    const folder = join(directory.path, crypto.randomUUID())
    await mkdir(folder)
    await writeFile(join(folder, 'manifest-000001.ndjson'), text)
    const lines: unknown[] = []
    for await (const line of readManifests(folder)) lines.push(line)
    return lines
  }
  const [head, vault, end] = ['{"type":"tideport-manifest","version":1}', '{"type":"vault","id":"v"}', '{"type":"end"}']
  expect(await read([head, vault, end].join('\r\n'))).toEqual([{ type: 'vault', id: 'v' }])
  for (const line of ['null', '7', '{"type":']) {
    await expect(read([head, line, end].join('\n'))).rejects.toThrow('has an invalid line')
  }
  await expect(read(`${head}\n${'x'.repeat(17 * 1024 ** 2)}`)).rejects.toThrow('too long for an export manifest')
})
