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
  soFar: (size: string) => `${size} so far`,
}
