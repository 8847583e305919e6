// Stores, reads and proves a large file; prints by how much the process grew at its peak, in bytes.
import { openDirectory } from '../embedded-directory.ts'
import { patternBytes } from './pattern-bytes.ts'

const [dir = '', sizeBytes = ''] = process.argv.slice(2)
const network = openDirectory(dir)
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
