/** Valid file names that headers, header parsers, or file systems often get wrong. */
// biome-ignore format: one name per line is not easier to read
export const naughtyNames = [
  'plain.bin', 'a b  c.bin', 'résumé.bin', 'e\u0301.bin', '日本語.bin', 'مرحبا.bin', '👩‍👩‍👧.bin', 'ﬁ İ ß.bin', '\u{1F5C2}\uFE0F.bin',
  'quote".bin', '"quoted".bin', '"', "it's.bin", "UTF-8''it.bin", 'semi;colon.bin', 'a=b.bin', 'a,b.bin',
  'a"; filename=evil.exe', 'a; filename*=UTF-8\'\'evil.exe', 'a"; filename*=UTF-8\'\'evil.exe; x="',
  'per%20cent.bin', '100%.bin', '%41.bin', '%', '%e9.bin', '%C3%A9.bin', 'new%0d%0aline.bin', '%22.bin', '%00.bin', '%2e%2e%2fup.bin',
  '=?utf-8?Q?evil.exe?=', '=?utf-8?B?ZXZpbC5leGU=?=', 'a =?utf-8?Q?evil.exe?=', '=?iso-8859-1?Q?=E9?=.bin', '=?utf-8?Q?a?= =?utf-8?Q?b?=',
  'x\u202Egpj.exe', '\u200Ezero\u200Bwidth.bin', 'ends with dot.', 'ends with space ', ' starts with space.bin', 'CON', 'two..dots.bin',
  '.', '..', '.htaccess', 'NUL.txt', 'null', 'undefined', '-rf', '<img src=x onerror=alert(1)>.html', "'; drop table file; --", '{{7*7}}',
  '<script>.bin', 'a:b*c?d|e.bin', '$(reboot).bin', '~', 'tilde~1.bin', '{0}', 'Ã©.bin', 'a\u00A0b.bin', '\u00FF.bin', '\u{10FFFF}.bin',
  'x'.repeat(255), `${'x'.repeat(251)}.bin`, '日'.repeat(255), `${'👩'.repeat(120)}.bin`,
]
