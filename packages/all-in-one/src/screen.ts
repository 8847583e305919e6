type Screen = { publicUrl: string; dataDir: string; keyFile: string | undefined; setUpLink: string | undefined }

/** The first screen: where everything is, and the next step. */
export function screen({ publicUrl, dataDir, keyFile, setUpLink }: Screen): string {
  const url = publicUrl.replace(/\/+$/, '')
  const steps =
    setUpLink === undefined
      ? [`Open ${url}/console, and sign in${keyFile === undefined ? '' : ` with the API key in ${keyFile}`}.`]
      : ['Open this link to create the owner. It works once:', `  ${setUpLink}`]
  const rows = {
    Address: url,
    Console: `${url}/console`,
    Docs: `${url}/docs`,
    Data: `${dataDir} (back it up; logs are in logs/)`,
    Stop: 'Ctrl-C, or docker stop',
  }
  return [
    '',
    'Tideport is ready.',
    '',
    ...Object.entries(rows).map(([name, value]) => `  ${name.padEnd(9)}${value}`),
    '',
    'Next step:',
    ...steps.map((step) => `  ${step}`),
    '',
  ].join('\n')
}
