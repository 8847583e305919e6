import { counted } from './counted.ts'

export const enVaults = {
  lead: 'A vault holds files and folders. What is in a public one can be read by anyone who knows the address; a private one holds files that were encrypted before they left your device.',
  create: 'New vault',
  description: 'Description',
  visibility: 'Who can read it',
  visibilityHint: 'This cannot be changed later.',
  public: 'Public',
  publicHint: 'Anyone who knows a file’s address can read it.',
  private: 'Private',
  privateHint: 'Files are encrypted on your device. Nobody can read them without your key.',
  count: (files: number) => counted(files, 'file', 'files'),
  default: 'Default',
  empty: 'No vaults yet',
  emptyText: 'Make one to put files in it.',
  key: 'Key',
  editTitle: (name: string) => `Edit ${name}`,
  removeText: (files: string) => `With it: ${files}. You can take all of it back until the trash is emptied.`,
}
