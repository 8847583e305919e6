import { counted } from './counted.ts'

export const enVaults = {
  lead: 'A vault contains files and folders. Anyone who knows the address of a file in a public vault can read the file. Files in a private vault are encrypted before they leave your device.',
  create: 'Create vault',
  description: 'Description',
  slug: 'Name in addresses and for S3',
  slugHint: 'Lowercase letters, digits, hyphens, and dots. If empty, derived from the label.',
  visibility: 'Visibility',
  visibilityHint: 'You cannot change this later.',
  public: 'Public',
  publicHint: 'Anyone who knows the address of a file can read the file.',
  private: 'Private',
  privateHint: 'Files are encrypted on your device. Nobody can read them without your key.',
  count: (files: number) => counted(files, 'file', 'files'),
  default: 'Default',
  empty: 'No vaults yet',
  emptyText: 'Create a vault to upload files.',
  key: 'Key',
  editTitle: (name: string) => `Edit ${name}`,
  removeText: (files: string) =>
    `The vault and its content (${files}) move to the trash. You can restore them until the trash is emptied.`,
}
