/** What `@tideport/sdk/node` exports: what needs a file system. */
export { type OpenFile, openFile } from './node/open-file.ts'
export { type OpenJournal, openJournal } from './node/open-journal.ts'
export { spoolToDisk } from './node/spool-to-disk.ts'
