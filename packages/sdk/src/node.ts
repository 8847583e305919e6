/** Exports of `@tideport/sdk/node`: everything that needs a file system. */
export { fetch } from './node/fetch.ts'
export { type OpenFile, openFile } from './node/open-file.ts'
export { type OpenJournal, openJournal } from './node/open-journal.ts'
export { proxyFor } from './node/proxy.ts'
export { spoolToDisk } from './node/spool-to-disk.ts'
