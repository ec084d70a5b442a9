#!/usr/bin/env python3
"""Takes translated texts out of Debian packages: FOLDER of .deb files -> FOLDER/../texts/SOURCE.tsv, LOCALE<TAB>TEXT.

  python3 tests/oracle/detect/extract.py DEBS TEXTS

Reads gettext catalogues (.mo), Qt's (.qm), MediaWiki's JSON, Mozilla's language packs, Chromium's .pak, GNOME's help,
Tux Paint's stamps, fortunes, Klavaro's paragraphs and CLDR's names. Needs dpkg-deb alone.
"""
import gzip, html, io, json, os, re, struct, subprocess, sys, tarfile, zipfile

TAG = re.compile(r'<[^<>]{0,300}>')
WIKI_LINK = re.compile(r'\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]')
TEMPLATE = re.compile(r'\{\{[^{}]*\}\}|\{[^{}]*\}')
PRINTF = re.compile(r'%(?:\d+\$)?[-+ #0]*[\d*]*(?:\.\d+)?(?:hh|h|ll|l|z|j|t|L)?[a-zA-Z%]|%\([^)]*\)[a-z]|%\d|\$\d|\$\w+|@\w+@|&[a-zA-Z.]+;|&#x?\w+;')
URL = re.compile(r'\b(?:https?|ftp|mailto):\S+|\bwww\.\S+|\S+@\S+\.\S+|\S*[/\\]\S*[/\\]\S*|--?[a-z][\w-]+|\S*[_=<>{}\[\]|]\S*')


def clean(text):
  """One line of plain text, or '' where nothing of a language is left."""
  text = WIKI_LINK.sub(r'\1', text)
  for _ in range(2):
    text = TEMPLATE.sub(' ', text)
  text = TAG.sub(' ', text)
  text = PRINTF.sub(' ', text)
  text = html.unescape(text)
  text = TAG.sub(' ', text).replace("'''", '').replace("''", '')
  text = re.sub(r'(?<=\w)[_&~](?=\w)|(?<!\w)[_&~](?=\w)|\([_&][A-Za-z]\)', '', text)
  text = URL.sub(' ', text)
  text = re.sub(r'[\s\x00-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2066-\u2069]+', ' ', text).strip()
  return text if sum(c.isalpha() for c in text) >= 4 else ''


def read_mo(data):
  """(original, translation) pairs of a gettext catalogue."""
  magic = struct.unpack('<I', data[:4])[0]
  order = '<' if magic == 0x950412DE else '>'
  count, originals, translations = struct.unpack(order + '3I', data[8:20])
  for i in range(count):
    a, b = struct.unpack_from(order + '2I', data, originals + 8 * i)
    c, d = struct.unpack_from(order + '2I', data, translations + 8 * i)
    original, text = data[b:b + a], data[d:d + c]
    if a == 0: continue
    original = original.split(b'\x04')[-1].split(b'\0')[0].decode('utf-8', 'replace')
    for form in text.decode('utf-8', 'replace').split('\0')[:2]:
      if form != original: yield form


def read_qm(data):
  """Translations of a Qt catalogue: sections of a tag and a length; 0x69 has the messages, whose tag 3 is UTF-16."""
  at = 16
  while at + 5 <= len(data):
    tag, length = data[at], struct.unpack_from('>I', data, at + 1)[0]
    at += 5
    if tag == 0x69:
      end, p = at + length, at
      while p < end:
        kind = data[p]; p += 1
        if kind == 1: continue
        if kind in (2, 5, 6, 7, 8, 3):
          size = struct.unpack_from('>I', data, p)[0]; p += 4
          if size == 0xFFFFFFFF: continue
          if kind == 3: yield data[p:p + size].decode('utf-16-be', 'replace')
          p += size
        elif kind == 4: p += 4
        else: break
    at += length


def read_pak(data):
  """Strings of a Chromium resource pack, version 5."""
  version, encoding = struct.unpack_from('<IB', data, 0)
  if version != 5: return
  resources, aliases = struct.unpack_from('<HH', data, 8)
  at = 12
  entries = [struct.unpack_from('<HI', data, at + 6 * i) for i in range(resources + 1)]
  for (_, a), (_, b) in zip(entries, entries[1:]):
    yield data[a:b].decode('utf-8', 'replace')


def mozilla(name, text):
  if name.endswith('.ftl'):
    message = ''
    for line in text.split('\n'):
      if line.startswith('#'): continue
      m = re.match(r'^\s*[-.\w]+ ?= ?(.*)$', line)
      if m or not line.startswith(' '):
        if message: yield message
        message = m.group(1) if m else ''
      elif not re.match(r'^\s*(\*?\[|\})', line): message += ' ' + line.strip()
      else: 
        part = re.sub(r'^\s*\*?\[[^\]]*\]', '', line).strip(' }')
        if message: yield message
        message = part
    if message: yield message
  elif name.endswith('.properties'):
    for line in text.split('\n'):
      if not line.startswith('#') and '=' in line:
        try: yield re.sub(r'\\u([0-9a-fA-F]{4})', lambda m: chr(int(m.group(1), 16)), line.split('=', 1)[1]).replace('\\n', ' ')
        except ValueError: pass
  elif name.endswith('.dtd'):
    yield from re.findall(r'<!ENTITY\s+\S+\s+["\']([^"\']*)["\']', text)


def from_file(package, path, data):
  """(source, locale, text) of one file of a package."""
  base = os.path.basename(path)
  m = re.search(r'/(?:locale|translations|resource|locales)/([A-Za-z@_]+)/LC_MESSAGES/.*\.mo$', path)
  if m:
    source = 'iso-codes' if package == 'iso-codes' else package.split('-l10n')[0]
    if package.startswith('wesnoth'): source = 'wesnoth'
    for text in read_mo(data): yield source, m.group(1), text
  elif base.endswith('.qm'):
    m = re.search(r'_([a-z]{2,3}(?:[_@][A-Za-z]+)?)\.qm$', base)
    if m:
      for text in read_qm(data): yield package, m.group(1), text
  elif package == 'mediawiki' and base.endswith('.json') and '/i18n/' in path:
    try: items = json.loads(data)
    except ValueError: return
    if isinstance(items, dict):
      for key, value in items.items():
        if key != '@metadata' and isinstance(value, str): yield 'mediawiki', base[:-5], value
  elif base.endswith('.xpi'):
    locale = re.sub(r'^langpack-|@.*$', '', base)
    with zipfile.ZipFile(io.BytesIO(data)) as pack:
      for name in pack.namelist():
        if name.endswith(('.ftl', '.properties', '.dtd')) and 'region' not in name:
          for text in mozilla(name, pack.read(name).decode('utf-8', 'replace')):
            yield 'mozilla', locale, text
  elif base.endswith('.pak') and 'chromium' in package and '_' not in base:
    for text in read_pak(data): yield 'chromium', base[:-4], text
  elif base.endswith('.page') and '/help/' in path:
    locale = path.split('/help/')[1].split('/')[0]
    if locale != 'C':
      for text in re.findall(r'<(?:p|title|desc)>(.*?)</(?:p|title|desc)>', data.decode('utf-8', 'replace'), re.S):
        yield 'gnome-help', locale, text
  elif '/stamps/' in path and base.endswith('.txt'):
    for line in data.decode('utf-8', 'replace').split('\n'):
      m = re.match(r'^([a-z]{2,3}(?:[_@]\w+)*)\.utf8=(.*)$', line)
      if m: yield 'tuxpaint', m.group(1), m.group(2)
  elif package.startswith('fortunes') and '/fortunes/' in path and not base.endswith(('.dat', '.u8')):
    if data[:4] != b'\x7fELF':
      try: text = data.decode('utf-8')
      except UnicodeDecodeError: return
      locale = package.split('-')[1] if '-' in package else 'en'
      locale = {'min': 'en', 'bofh': 'en', 'br': 'pt', 'mario': 'en', 'debian': 'en'}.get(locale, locale)
      for one in re.split(r'\n%\n?', text): 
        for line in re.split(r'\n\s*\n|\n(?=[-—–•])', one): yield 'fortunes', locale, line.replace('\n', ' ')
  elif package == 'klavaro' and base.endswith('.paragraphs'):
    for line in data.decode('utf-8', 'replace').split('\n'): yield 'klavaro', base[:-11], line
  elif package == 'unicode-cldr-core':
    m = re.search(r'/common/(annotations|annotationsDerived|main)/([a-z]{2,3}(?:_[A-Za-z]+)?)\.xml$', path)
    if m and 'Derived' not in m.group(1):
      text = data.decode('utf-8', 'replace')
      if m.group(1) == 'annotations':
        for one in re.findall(r'<annotation[^>]*>([^<]*)</annotation>', text): yield 'cldr', m.group(2), one.replace('|', ',')
      else:
        for one in re.findall(r'<(?:language|territory|displayName|exemplarCity|month|day|unitPattern|relative)[ >][^>]*>?([^<>]+)</', text): yield 'cldr', m.group(2), one


def main(debs, out):
  os.makedirs(out, exist_ok=True)
  files, seen = {}, {}
  for deb in sorted(os.listdir(debs)):
    if not deb.endswith('.deb'): continue
    package = deb.split('_')[0]
    stream = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', os.path.join(debs, deb)], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=stream.stdout, mode='r|') as tar:
      for member in tar:
        if not member.isfile() or member.size > 30e6: continue
        if not member.name.endswith(('.mo', '.qm', '.json', '.xpi', '.pak', '.page', '.txt', '.paragraphs', '.xml')) and '/fortunes/' not in member.name: continue
        data = tar.extractfile(member).read()
        try:
          for source, locale, text in from_file(package, member.name, data):
            text = clean(text)
            if not text: continue
            key = (source, locale)
            if key not in files:
              seen[key] = set()
              os.makedirs(os.path.join(out, source), exist_ok=True)
              files[key] = os.path.join(out, source, locale + '.txt')
            seen[key].add(text)
        except (struct.error, IndexError, zipfile.BadZipFile) as error:
          print(package, member.name, error, file=sys.stderr)
    stream.wait()
  for key, path in files.items():
    with open(path, 'w') as f:
      f.writelines(text + '\n' for text in sorted(seen[key]))


main(sys.argv[1], sys.argv[2])
