// Stores, reads and proves a large file; prints by how much the process grew at its peak, in bytes.
import { openStorageNetwork } from '../../src/open-network.ts'
import { patternBytes } from './pattern-bytes.ts'

const [embeddedNetworkDir = '', sizeBytes = ''] = process.argv.slice(2)
const network = openStorageNetwork({ storageNetwork: 'embedded', embeddedNetworkDir })
const { signal } = new AbortController()
const fileId = 'large'

const before = process.memoryUsage.rss()
await using staged = await network.stage(patternBytes(Number(sizeBytes)), { fileId, signal })
await staged.commit()
let readBytes = 0
for await (const piece of await network.open(staged.blobId, { fileId, signal })) readBytes += piece.length
const proof = await network.prove(staged.blobId, fileId, staged, signal)
const grownBytes = process.resourceUsage().maxRSS * 1024 - before
process.stdout.write(JSON.stringify({ readBytes, proof, grownBytes }))
