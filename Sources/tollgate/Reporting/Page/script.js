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
