export const enExport = {
  title: 'Export',
  lead: 'Your files are yours: take them elsewhere, or keep what is needed to get them back without this service.',
  manifest: 'Manifest',
  manifestText:
    'One file that lists your vaults and files, and where each copy lies. With it and the storage networks everything can be had without us: “Leaving” in the documentation has the program that does it.',
  manifestGet: 'Download the manifest',
  manifestReading: 'The manifest is being read',
  manifestSaved: 'The manifest is whole and among your downloads',
  manifestCut: 'The manifest broke off before its end. Please try again.',
  files: 'All files',
  filesText:
    'The service packs all your files, with a manifest, as files of a private vault that is made for them. It goes on by itself; download them from that vault.',
  start: 'Start an export',
  startText: 'What is packed counts in your quota and is billed like all files, until it is gone.',
  life: 'Throw it away',
  lives: { week: 'After 7 days', month: 'After 30 days', ever: 'When I delete it' },
  started: 'The export has started',
  none: 'No exports',
  noneText: 'Start one to take everything along.',
  soFar: (size: string) => `${size} so far`,
}
