#!/usr/bin/env node
import { faultOfNode } from './node-version.ts'

/** Not before the check: an older Node cannot even read the program. So these two files are of words that each one knows. */
const fault = faultOfNode(process.versions.node)
if (fault === null) void import('./start.ts').then(({ start }) => start(process.env))
else {
  process.stderr.write(`tideport: ${fault}\n`)
  process.exitCode = 1
}
