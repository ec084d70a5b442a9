// The papers that the lessons name.

export const papers = {
  sutskever: { text: 'Sutskever, Vinyals, Le 2014', href: 'https://arxiv.org/abs/1409.3215' },
  devlin: { text: 'Devlin et al. 2018', href: 'https://arxiv.org/abs/1810.04805' },
  radford: { text: 'Radford et al. 2019', href: 'https://openai.com/research/better-language-models' },
  jain: { text: 'Jain, Wallace 2019', href: 'https://arxiv.org/abs/1902.10186' },
  wiegreffe: { text: 'Wiegreffe, Pinter 2019', href: 'https://arxiv.org/abs/1908.04626' },
  bahdanau: { text: 'Bahdanau, Cho, Bengio 2014', href: 'https://arxiv.org/abs/1409.0473' },
  luong: { text: 'Luong, Pham, Manning 2015', href: 'https://arxiv.org/abs/1508.04025' },
  xu: { text: 'Xu et al. 2015', href: 'https://arxiv.org/abs/1502.03044' },
  vinyals: { text: 'Vinyals, Fortunato, Jaitly 2015', href: 'https://arxiv.org/abs/1506.03134' },
  graves: { text: 'Graves, Wayne, Danihelka 2014', href: 'https://arxiv.org/abs/1410.5401' },
  miller: { text: 'Miller et al. 2016', href: 'https://arxiv.org/abs/1606.03126' },
  vaswani: { text: 'Vaswani et al. 2017', href: 'https://arxiv.org/abs/1706.03762' },
  nadaraya: { text: 'Nadaraya 1964', href: 'https://doi.org/10.1137/1109020' },
  watson: { text: 'Watson 1964', href: 'https://www.jstor.org/stable/25049340' },
  cherry: { text: 'Cherry 1953', href: 'https://doi.org/10.1121/1.1907229' },
};
