/// What report pages look like and do. Neither text has a character that XML would read as markup.
enum ReportStyle {
  static let css = """
    :root{--page:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d8dde3;--tint:#f5f7f9;--link:#0b57b7;
    --first:#2563a8;--second:#d08a00;--none:#c5ccd4;--other:#b3261e;
    --wide:#d5e1ef;--narrow:#2563a8;
    --q1:#cfe0f2;--q2:#9dc1e6;--q3:#5e97d0;--q4:#2563a8;--q5:#123d6e;
    --h1:#eaf2fb;--h2:#cfe0f2;--h3:#a6c8ec;--h4:#77abe0;
    --good:#1a6b36;--warning:#8a5300;--bad:#b3261e;color-scheme:light dark}
    @media (prefers-color-scheme:dark){:root{--page:#15181c;--ink:#e8ebee;--soft:#a3adb8;
    --line:#363c44;--tint:#1e2228;--link:#8ab8f5;--first:#6ea8e6;--second:#e3ab45;--none:#4a525c;
    --other:#f0857c;--wide:#2b3a4d;--narrow:#7db3ee;
    --q1:#2f4d72;--q2:#3f6ea5;--q3:#5b93d3;--q4:#93c1f5;--q5:#dcebfd;
    --h1:#1d2937;--h2:#23384f;--h3:#2b4d74;--h4:#33639c;
    --good:#6fce8d;--warning:#e9b65c;--bad:#f5938b} }
    *{box-sizing:border-box}
    html{scroll-padding-top:4rem}
    body{margin:0 auto;padding:1.5rem;max-width:72rem;background:var(--page);color:var(--ink);
    font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
    overflow-wrap:anywhere}
    h1{font-size:1.6rem;line-height:1.25;margin:0 0 .75rem}
    h2{font-size:1.2rem;line-height:1.3;margin:0}
    h3{font-size:.95rem;margin:1.25rem 0 .35rem}
    p{margin:.35rem 0;max-width:46rem}
    a{color:var(--link)}
    section{padding:1.5rem 0 .25rem;margin-top:1rem;border-top:1px solid var(--line)}
    .about,.note{color:var(--soft)}
    .note{font-size:.9rem}
    .facts{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:0;font-size:.9rem}
    .facts div{display:flex;gap:.4rem}
    .facts dt,.cards dt{color:var(--soft)}
    .facts dd,.cards dd{margin:0}
    .facts dt{white-space:nowrap}
    .bar{position:sticky;top:0;z-index:1;background:var(--page);display:flex;flex-wrap:wrap;
    gap:.4rem 1.5rem;align-items:center;justify-content:space-between;padding:.6rem 0;
    margin-top:.75rem;border-bottom:1px solid var(--line)}
    .bar+main section:first-child{border-top:0;margin-top:0}
    nav{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;font-size:.9rem}
    form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;font-size:.9rem}
    [hidden]{display:none}
    input{font:inherit;color:inherit;background:var(--tint);border:1px solid var(--soft);
    border-radius:4px;padding:.2rem .5rem;width:13rem}
    button{font:inherit;font-size:.8rem;color:inherit;background:var(--page);cursor:pointer;
    border:1px solid var(--soft);border-radius:4px;padding:.1rem .5rem}
    :focus-visible{outline:3px solid var(--link);outline-offset:2px}
    .skip{position:absolute;left:-99rem}
    .skip:focus{left:1rem;top:.5rem;background:var(--page);padding:.3rem .6rem;z-index:2}
    .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;
    margin:.75rem 0}
    .cards div{background:var(--tint);border-radius:6px;padding:.7rem .9rem}
    .cards dt{font-size:.85rem}
    .cards dd{font-size:1.45rem;line-height:1.3;font-variant-numeric:tabular-nums}
    small{display:block;font-size:.8rem;color:var(--soft)}
    .findings{list-style:none;margin:.75rem 0;padding:0}
    .findings li{border-left:4px solid var(--none);padding:.15rem .75rem;margin:.4rem 0;
    max-width:54rem}
    .findings .good{border-color:var(--good)}
    .findings .warning{border-color:var(--second)}
    .findings .bad{border-color:var(--bad)}
    .legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.75rem 0 .25rem;
    padding:0;font-size:.85rem;color:var(--soft)}
    i{display:inline-block;width:.8rem;height:.8rem;margin-right:.4rem;vertical-align:-.05rem;
    background:var(--c)}
    td svg{display:block;width:100%;min-width:7rem;height:.9rem;margin-top:.3rem;
    background:var(--tint)}
    td svg.d{height:1.9rem;margin:0;background:none;border-bottom:1px solid var(--soft)}
    rect{height:100%;fill:var(--c)}
    path{stroke:var(--c);stroke-width:8}
    figure{margin:1rem 0}
    figcaption{font-size:.95rem;font-weight:600}
    .plot{display:grid;grid-template-columns:3.2rem 1fr;gap:.2rem .5rem;margin:.4rem 0}
    .plot .d{width:100%;height:9rem;border-bottom:1px solid var(--soft);
    background:linear-gradient(var(--line) 1px,transparent 1px) 0 0/100% 50%}
    .axis,.times{display:flex;justify-content:space-between;font-size:.8rem;color:var(--soft);
    font-variant-numeric:tabular-nums}
    .axis{flex-direction:column;text-align:right;line-height:1;margin-top:-.4rem}
    .times{grid-column:2}
    del,ins{display:block;text-decoration:none}
    del::before{content:"− "}ins::before{content:"+ "}
    del{color:var(--bad)}ins{color:var(--good)}
    td.h1{background:var(--h1)}td.h2{background:var(--h2)}td.h3{background:var(--h3)}
    td.h4{background:var(--h4)}td.st{color:var(--soft);background:var(--tint)}
    .m th,.m td{padding:.3rem .6rem;border:1px solid var(--line)}
    .m tr :last-child{padding-right:.6rem}
    .m{width:auto}
    .m thead th{text-align:right;max-width:9rem}
    .m thead th:first-child{text-align:left}
    .f{--c:var(--first)}.s{--c:var(--second)}.e{--c:var(--none)}.o{--c:var(--other)}
    .w{--c:var(--wide)}.r{--c:var(--narrow)}.t{--c:var(--ink)}.p{--c:var(--good)}
    .q1{--c:var(--q1)}.q2{--c:var(--q2)}.q3{--c:var(--q3)}.q4{--c:var(--q4)}.q5{--c:var(--q5)}
    .scroll{overflow-x:auto;margin:.4rem 0}
    table{border-collapse:collapse;width:100%;font-size:.9rem}
    th,td{text-align:right;font-variant-numeric:tabular-nums;padding:.3rem 1rem .3rem 0;
    border-bottom:1px solid var(--line);vertical-align:top}
    tr :last-child{padding-right:0}
    thead th{color:var(--soft);font-weight:500;font-size:.85rem;vertical-align:bottom;
    overflow-wrap:break-word}
    tbody th{font-weight:500;min-width:9.5rem}
    td.l{min-width:5.5rem}
    tbody th,td.l{overflow-wrap:anywhere}
    th code{display:block;font-weight:400;color:var(--soft);max-width:26rem}
    tbody th,.l,.g{text-align:left}
    td:not(.l){white-space:nowrap}
    .g{width:32%}
    code,pre{font:.85rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
    pre{white-space:pre-wrap;background:var(--tint);border-radius:4px;padding:.5rem .7rem;
    margin:0}
    .mark{white-space:nowrap}
    .mark.good{color:var(--good)}
    .mark.warning{color:var(--warning);font-weight:600}
    .mark.bad{color:var(--bad);font-weight:600}
    summary{cursor:pointer;margin:.6rem 0 .2rem;color:var(--link);width:fit-content}
    .commands{list-style:none;margin:0;padding:0}
    .commands li{margin:.6rem 0;display:grid;grid-template-columns:1fr auto;gap:.2rem .5rem;
    align-items:start}
    .commands span{grid-column:1/-1}
    @media (max-width:44rem){body{padding:1rem}
    .bar{position:static}
    .k,.k tbody{display:block}
    .k thead{position:absolute;left:-99rem}
    .k tr{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;border-bottom:1px solid var(--line);
    padding:.5rem 0}
    .k th,.k td{border:0;padding:0;text-align:left;white-space:normal}
    .k tbody th{width:100%}
    .k td:has(svg),.k td:has(code){width:100%}
    .k td:empty{display:none}
    .k td::before{color:var(--soft);margin-right:.35rem}
    .k td:has(svg)::before,.k td:has(code)::before{display:none}
    .k td.l{min-width:0} }
    @page{margin:14mm}
    @media print{body{max-width:none;padding:0;font-size:8.5pt}
    html{font-size:11px}
    .bar,.skip,.why{display:none}
    tr,.findings li,.cards,.commands li{break-inside:avoid}
    h2,h3,.about,.legend,thead{break-after:avoid}
    .scroll{overflow:visible}
    .g{width:22%}
    td svg{min-width:4rem}
    details::details-content{content-visibility:visible;block-size:auto}
    figure{break-inside:avoid}
    .plot .d{height:5.5rem}
    i,svg,.cards div,td{print-color-adjust:exact;-webkit-print-color-adjust:exact} }
    """

  /// Filters by placement, and copies command lines; the page can be read without it.
  static let script = """
    (function () {
      var form = document.getElementById('filter');
      if (form) {
        var wanted = document.getElementById('wanted');
        var shown = document.getElementById('shown');
        var items = Array.from(document.querySelectorAll('[data-p]'));
        var apply = function () {
          var text = wanted.value.trim().toLowerCase();
          var exact = items.some(function (item) { return item.dataset.p.toLowerCase() === text; });
          var names = new Set();
          items.forEach(function (item) {
            var name = item.dataset.p.toLowerCase();
            item.hidden = !(exact ? name === text : name.includes(text));
            if (!item.hidden) { names.add(name); }
          });
          shown.textContent = text === '' ? '' :
            names.size + (names.size === 1 ? ' placement' : ' placements');
        };
        form.hidden = false;
        form.addEventListener('submit', function (event) { event.preventDefault(); });
        wanted.addEventListener('input', apply);
        apply();
      }
      if (navigator.clipboard) {
        document.querySelectorAll('.commands pre').forEach(function (line) {
          var button = document.createElement('button');
          button.type = 'button';
          button.textContent = 'Copy';
          button.addEventListener('click', function () {
            navigator.clipboard.writeText(line.textContent).then(function () {
              button.textContent = 'Copied';
              setTimeout(function () { button.textContent = 'Copy'; }, 1500);
            });
          });
          line.after(button);
        });
      }
      window.addEventListener('beforeprint', function () {
        document.querySelectorAll('details').forEach(function (part) { part.open = true; });
      });
    })();
    """
}
