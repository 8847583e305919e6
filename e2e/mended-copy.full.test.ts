import { appendFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { fetchBytes, publicFileUrl, readByEveryRoute } from './support/reading.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { networkCopies } from './support/stored-copies.ts'
import { readTimeline } from './support/timeline.ts'
import { readFile, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'

const damages = {
  'has lost its tree': (path: string) => rm(`${path}.dag`),
  'has grown': (path: string) => appendFile(path, 'garbage'),
}

test.concurrent.each(Object.entries(damages))(
  "a failed read repairs a file's only copy that %s, without data loss",
  async (_, damage) => {
    const [stack, client] = [sharedStack(), freshAccount()]
    const bytes = Buffer.concat([uniqueBytes(), Buffer.alloc(2_000_000)])
    const { id: vaultId } = await createVault(client, 'public')
    const { id } = await uploadFile(client, { vaultId, bytes, mimeType: 'text/plain' })
    const cold = await untilStatus(client, id, 'cold')
    const [path = ''] = await networkCopies(stack, id)
    await damage(join(stack.networkDir, path))
    const read = async () => (await fetchBytes(publicFileUrl(client, id))).status
    expect(await read()).toBeGreaterThanOrEqual(400)
    await waitFor(async () => (await read()) === 200, { what: 'the copy to be repaired' })
    expect(await readByEveryRoute(client, cold)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
    expect(await readFile(client, id)).toMatchObject({ status: 'cold', errorCode: null })
    const types = (await readTimeline(client, id)).map(({ type }) => type)
    expect(types).toContain('copy.mended')
    expect(types).not.toContain('file.copy_lost')
  },
)
