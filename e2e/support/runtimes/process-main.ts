import { createClient, createVault, upload } from '@tideport/sdk'
import { openFile } from '@tideport/sdk/node'
import { type Given, useEverything } from './use-everything.ts'

/** The program for a runtime with processes and files. Reads its input from the environment. */
const given = JSON.parse(process.env.GIVEN as string) as Given
const client = createClient({ baseUrl: given.baseUrl, apiKey: given.apiKey })
const vault = await createVault(client, { name: 'Disk', visibility: 'public' })
const source = await openFile(process.argv.at(-1) as string)
const { sizeBytes } = await upload(client, source, { vaultId: vault.id, partSizeBytes: 5 * 1024 ** 2 })
await source.close()
console.log(JSON.stringify({ ...(await useEverything(given)), fromDisk: sizeBytes === source.size }))
